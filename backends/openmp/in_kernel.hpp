// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a kernel on a CPU has for the functions of <abax/team.hpp>: the loops of the instruction set, for each thread's
/// share. Host functions, in functions for both sides because those that call them are.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/openmp/any_product.hpp"
#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/backends/portable/in_kernel.hpp"
#include "abax/detail/tile/operand.hpp"

namespace abax::openmp {

struct in_kernel : portable::in_kernel {
  static constexpr bool has_banks = false, computes_products = true;
  template <class A, class B, class C>
  static constexpr bool has_product() {
    return true;
  }

  /// c <- epilogue(a b) for the columns, or rows, of one thread of several. All operands lie by strides.
  template <class A, class B, class C, class T>
  KOKKOS_FUNCTION static bool product(int rank, int threads, const A& a, const B& bt, const C& c,
                                      const tile::epilogue<T>& epilogue) {
    const bool by_columns = c.cols() >= threads || c.cols() >= c.rows();
    const int each = tile::ceil_div(by_columns ? c.cols() : c.rows(), threads), first = rank * each;
    const int count = tile::min(each, (by_columns ? c.cols() : c.rows()) - first);
    if (count <= 0) return true;
    [[maybe_unused]] const any_product<T> mine{
        .m = by_columns ? c.rows() : count,
        .n = by_columns ? count : c.cols(),
        .k = a.cols(),
        .a = {a.data + (by_columns ? 0 : a.place(first, 0)), a.place(1, 0), a.place(0, 1)},
        .b = {bt.data + (by_columns ? bt.place(first, 0) : 0), bt.place(0, 1), bt.place(1, 0)},
        .c = {c.data + (by_columns ? c.place(0, first) : c.place(first, 0)), c.place(1, 0), c.place(0, 1)},
        .alpha = epilogue.alpha,
        .beta = epilogue.beta,
        .conjugated_a = A::conjugates,
        .conjugated_b = B::conjugates};
    KOKKOS_IF_ON_HOST((multiply(mine);))
    return true;
  }
  template <class Member, class A, class B, class C, class T>
  KOKKOS_FORCEINLINE_FUNCTION static bool product(const Member& member, const A& a, const B& bt, const C& c,
                                                  const tile::epilogue<T>& epilogue) {
    return product(member.team_rank(), member.team_size(), a, bt, c, epilogue);
  }

  /// The sums of an M x N tile of one thread, which grow by stages of terms.
  template <class T, int M, int N>
  class sums {
   public:
    template <class Member>
    KOKKOS_FUNCTION explicit sums(const Member&) {}

    template <class A, class B>
    KOKKOS_FUNCTION void add(const A& a, const B& bt) {
      constexpr index_t block = tile::canon_block_of<T>;
      for (index_t begin = 0, end; begin < a.cols(); begin = end) {
        if (terms_ == block) end_block();
        end = tile::min<index_t>(a.cols(), begin + block - terms_);
        rows_ = a.rows();
        cols_ = bt.rows();
        [[maybe_unused]] const int first = static_cast<int>(begin);
        [[maybe_unused]] const any_product<T> stage{.m = rows_,
                                                    .n = cols_,
                                                    .k = end - begin,
                                                    .a = {&a(0, first), a.place(1, 0), a.place(0, 1)},
                                                    .b = {&bt(0, first), bt.place(0, 1), bt.place(1, 0)},
                                                    .c = {},
                                                    .alpha = T(1),
                                                    .beta = T(0)};
        KOKKOS_IF_ON_HOST((add_stage(stage, elements(part_), terms_ == 0);))
        terms_ += end - begin;
      }
    }
    template <class C>
    KOKKOS_FUNCTION void store(const C& c, const tile::epilogue<T>& epilogue) {
      if (terms_ > 0) end_block();
      [[maybe_unused]] const any_product<T> product{.m = rows_,
                                                    .n = cols_,
                                                    .k = 0,
                                                    .a = {},
                                                    .b = {},
                                                    .c = {c.data, c.place(1, 0), c.place(0, 1)},
                                                    .alpha = epilogue.alpha,
                                                    .beta = epilogue.beta};
      KOKKOS_IF_ON_HOST((store_stages(product, elements(total_));))
    }

   private:
    KOKKOS_FUNCTION void end_block() {
      KOKKOS_IF_ON_HOST((fold_stages(rows_, cols_, elements(part_), elements(total_), blocks_ == 0);))
      ++blocks_;
      terms_ = 0;
    }

    index_t rows_ = 0, cols_ = 0, terms_ = 0, blocks_ = 0;  // terms of the block that is being summed
    // As parts, of complex numbers, too, which would be zeroed as an array of them.
    using part = tile::real_of<T>;
    static constexpr index_t parts = elements_of_sums<T>(M, N) * index_t(sizeof(T) / sizeof(part));
    KOKKOS_FUNCTION static T* elements(part* of) { return reinterpret_cast<T*>(of); }

    alignas(64) part part_[parts];
    alignas(64) part total_[parts];
  };

  template <class T>
  struct block_sum {
    tile::dot<T> terms;
    /// Complex elements, of which terms are the parts.
    template <class Real>
    KOKKOS_FUNCTION static const tile::complex<Real>* elements(const Real* parts) {
      return reinterpret_cast<const tile::complex<Real>*>(parts);
    }
    KOKKOS_FUNCTION T operator()([[maybe_unused]] index_t block) const {
      T sum = T(0);
      KOKKOS_IF_ON_HOST(
          (const auto x = terms.operand[0].block(block * tile::reduction_block, tile::reduction_block);
           const auto y = terms.operand[1].block(block * tile::reduction_block, tile::reduction_block);
           if constexpr (tile::is_complex<T>)
               dot_block(x.size / 2, elements(x.data), x.stride, elements(y.data), y.stride, terms.conjugated, &sum);
           else dot_blocks(x.size, x.data, x.stride, y.data, y.stride, &sum);))
      return sum;
    }
  };
  template <class Member, class T>
  KOKKOS_FUNCTION static T dot(const Member& member, const tile::dot<T>& terms) {
    T sum = T(0);
    under_ieee(
        [&] { sum = joined_blocks<T>(member, tile::reduction_blocks(terms.operand[0].size), block_sum<T>{terms}); });
    return sum;
  }

  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION static void under_ieee([[maybe_unused]] const Work& work) {
    KOKKOS_IF_ON_HOST((portable::under_ieee(work);))
  }
};

}  // namespace abax::openmp
