// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing outside of the operands is read or written on a GPU. Every operand ends at a page that is not there, or it is
// an allocation that ends with its last element or has up to 15 bytes before the first or behind the last. Those are
// never initialised, nor are the gaps between its lines: compute-sanitizer's memcheck and initcheck see a wrong access.
// (On the host pages that are not there do the same, in bounds.cpp.) Results are compared with the canon.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <set>

#include "copies.hpp"
#include "cuts.hpp"
#include "inputs.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime_api.h>

#include "device_pages.hpp"
#endif

using namespace abax::tests;
namespace launch = abax::launch;
namespace tile = abax::tile;

#ifdef KOKKOS_ENABLE_CUDA
namespace {

using backend = abax::backends::backend_for_t<Kokkos::Cuda>;

/// How an operand lies in its allocation, in elements.
struct exact_placement {
  bool by_rows = false;
  index_t gap = 0;       ///< from the end of a line to the next one
  index_t before = 0;    ///< from the allocation's start to the first element
  index_t behind = 0;    ///< from the last element to the allocation's end
  bool at_edge = false;  ///< the allocation ends where nothing is mapped

  std::string text() const {
    return std::string(by_rows ? "by rows" : "by columns") + ", gap " + std::to_string(gap) + ", before " +
           std::to_string(before) + ", behind " + std::to_string(behind) + (at_edge ? ", at an edge" : "");
  }
};

/// A gap that takes lines of `length` to multiples of 16 bytes.
template <class T>
index_t gap_to_chunks(index_t length) {
  constexpr index_t chunk = 16 / sizeof(T);
  return (chunk - length % chunk) % chunk;
}

template <class T>
class exact_operand {
 public:
  exact_operand(const matrix<T>& values, const exact_placement& where)
      : rows_(values.rows),
        cols_(values.cols),
        by_rows_(where.by_rows),
        ld_((where.by_rows ? cols_ : rows_) + where.gap) {
    const index_t size = where.before + (lines() - 1) * ld_ + length() + where.behind;
    if (where.at_edge)
      pages_.emplace(sizeof(T) * size);
    else
      REQUIRE(cudaMalloc(&allocation_, sizeof(T) * size) == cudaSuccess);
    data_ = static_cast<T*>(where.at_edge ? pages_->data() : allocation_) + where.before;
    set(values);
  }
  ~exact_operand() { static_cast<void>(cudaFree(allocation_)); }
  exact_operand(const exact_operand&) = delete;

  void set(const matrix<T>& values) const {
    const matrix<T> image = by_rows_ ? abax::reference::transpose(values) : values;
    REQUIRE(cudaMemcpy2D(data_, sizeof(T) * ld_, image.elements.data(), sizeof(T) * length(), sizeof(T) * length(),
                         lines(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  matrix<T> values() const {
    matrix<T> image(length(), lines());
    REQUIRE(cudaMemcpy2D(image.elements.data(), sizeof(T) * length(), data_, sizeof(T) * ld_, sizeof(T) * length(),
                         lines(), cudaMemcpyDeviceToHost) == cudaSuccess);
    return by_rows_ ? abax::reference::transpose(image) : image;
  }
  tile::matrix<T> output() const { return {data_, rows_, cols_, by_rows_ ? ld_ : 1, by_rows_ ? 1 : ld_}; }
  tile::matrix<const T> input() const { return {data_, rows_, cols_, by_rows_ ? ld_ : 1, by_rows_ ? 1 : ld_}; }
  /// Of one column.
  tile::vector<const T> input_vector() const { return {data_, rows_, 1}; }
  tile::vector<T> output_vector() const { return {data_, rows_, 1}; }

 private:
  index_t length() const { return by_rows_ ? cols_ : rows_; }
  index_t lines() const { return by_rows_ ? rows_ : cols_; }

  index_t rows_, cols_;
  bool by_rows_;
  index_t ld_;
  void* allocation_ = nullptr;
  std::optional<device_pages> pages_;
  T* data_;
};

/// Gaps, and distances from either end, for lines of `length`: packed; lines on multiples of 16 bytes; lines that begin
/// anywhere. From case to case another one, so that operands of one call differ.
template <class T>
exact_placement placement_of(int turn, bool by_rows, index_t length) {
  constexpr index_t chunk = 16 / sizeof(T);
  const index_t offset = turn / 3 % chunk;
  const index_t gaps[] = {0, gap_to_chunks<T>(length), gap_to_chunks<T>(length) + 1};
  const bool at_start = turn / (3 * chunk) % 2 == 0;
  return {by_rows, gaps[turn % 3], at_start ? offset : 0, at_start ? 0 : offset, !at_start && offset == 0};
}
template <class T>
constexpr int placements_of_a = 6 * 16 / sizeof(T);

/// C <- 1.25 A B - 0.75 C under every row of the tables that serves it, by one team a tile and by as many as it has
/// blocks. The rows that have run are added to `seen`.
template <launch::shape Kind, class T>
void check_product(index_t m, index_t n, index_t k, std::set<std::string>& seen) {
  const Kokkos::Cuda exec;
  const matrix<T> a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2),
                  c = random_matrix<T>(m, n, numbers::unit, 3);
  const matrix<T> want = abax::reference::gemm('N', 'N', T(1.25), a, b, T(-0.75), c);
  const auto length = [](bool by_rows, index_t rows, index_t cols) { return by_rows ? cols : rows; };
  for (int turn = 0; turn < placements_of_a<T>; ++turn)
    for (int layouts = 0; layouts < (Kind == launch::shape::matrix ? 8 : 2); ++layouts) {
      const bool a_rows = layouts & 1, b_rows = layouts & 2, c_rows = layouts & 4;
      // B's and C's placements differ from A's, but for the packed and aligned ones, which only come together.
      const int of_b = turn % 3 == 1 ? turn : turn + 4 * layouts + 1, of_c = turn + layouts;
      const exact_placement at_a = placement_of<T>(turn, a_rows, length(a_rows, m, k)),
                            at_b = placement_of<T>(of_b, b_rows, length(b_rows, k, n)),
                            at_c = placement_of<T>(of_c, c_rows, length(c_rows, m, n));
      const exact_operand<T> A(a, at_a), B(b, at_b), C(c, at_c);
      const tile::product<T> problem{A.input(), B.input(), C.output(), {T(1.25), T(-0.75)}};
      const auto machine = backend::machine(exec);
      for (auto plan : launch::plans<backend, Kind>(problem, machine)) {
        if (!launch::fits(plan, problem, machine)) continue;
        for (const tile::cut& cut : cuts_of(launch::tiles_of(problem, plan.tile), tile::canon_blocks(k))) {
          CAPTURE(plan.row->name, cut.splits, cut.whole, m, n, k, at_a.text(), at_b.text(), at_c.text());
          plan.cut = cut;
          launch::run_product("test", exec, machine, problem, plan);
          exec.fence();
          REQUIRE(difference(C.values(), want) == "");
          C.set(c);
          seen.insert(plan.row->name);
        }
      }
    }
}

/// A product's numbers, and what it gives.
template <class T>
struct numbers_of_product {
  T alpha, beta;
  matrix<T> a, b, c, want;

  numbers_of_product(index_t m, index_t n, index_t k, numbers kind, T alpha_, T beta_)
      : alpha(alpha_),
        beta(beta_),
        a(random_matrix<T>(m, k, kind, 1)),
        b(random_matrix<T>(k, n, kind, 2)),
        c(random_matrix<T>(m, n, beta_ == T(0) ? numbers::nan : kind, 3)),
        want(abax::reference::gemm('N', 'N', alpha, a, b, beta, c)) {}
};

/// Each row of the tables as one team a tile and split into the blocks that the canon has, all tiles or the later half,
/// of ordinary numbers and of such whose sums are -0; gemv's also with elements between those of x. Of all rows those
/// whose number is `part` modulo `parts`, which are few enough for racecheck.
template <launch::shape Kind, class T>
int run_rows_once(index_t m, index_t n, index_t k, int part, int parts) {
  const Kokkos::Cuda exec;
  const auto machine = backend::machine(exec);
  const numbers_of_product<T> ordinary(m, n, k, numbers::unit, T(1.25), T(-0.75)),
      vanishing(m, n, k, numbers::vanishing, T(1), T(0));
  std::set<std::pair<const void*, bool>> seen;
  int runs = 0;
  for (const int gap : {0, 1})
    for (int layouts = 0; layouts < 8; ++layouts) {
      const bool steps = Kind == launch::shape::vector && (layouts & 2) != 0;  // along x
      const exact_placement at_a{(layouts & 1) != 0, gap, 0, 0}, at_b{(layouts & 2) != 0, steps ? 1 : gap, 0, 0},
          at_c{(layouts & 4) != 0, gap, 0, 0};
      const exact_operand<T> A(ordinary.a, at_a), B(ordinary.b, at_b), C(ordinary.c, at_c);
      const auto run = [&](auto plan, const numbers_of_product<T>& given, const tile::cut& cut) {
        CAPTURE(plan.row->name, cut.splits, cut.whole, m, n, k, given.beta, at_a.text(), at_b.text(), at_c.text());
        A.set(given.a);
        B.set(given.b);
        C.set(given.c);
        plan.cut = cut;
        launch::run_product("test", exec, machine,
                            tile::product<T>{A.input(), B.input(), C.output(), {given.alpha, given.beta}}, plan);
        exec.fence();
        REQUIRE(difference(C.values(), given.want) == "");
        ++runs;
      };
      const tile::product<T> problem{A.input(), B.input(), C.output(), {ordinary.alpha, ordinary.beta}};
      for (const auto& plan : launch::plans<backend, Kind>(problem, machine)) {
        if (!launch::fits(plan, problem, machine) || !seen.insert({plan.row, steps}).second) continue;
        if (static_cast<int>(seen.size()) % parts != part) continue;
        const index_t blocks = tile::canon_blocks(k);
        for (const tile::cut& cut : cuts_of(launch::tiles_of(problem, plan.tile), blocks)) {
          if (cut.splits != 1 && cut.splits != blocks) continue;
          run(plan, ordinary, cut);
          run(plan, vanishing, cut);
        }
      }
    }
  return runs;
}

}  // namespace
#endif

namespace {

/// The rows of T whose number is `number` modulo 4.
template <class T, int Number>
struct rows_of {
  using type = T;
  static constexpr int number = Number;
};
using float_0 = rows_of<float, 0>;
using float_1 = rows_of<float, 1>;
using float_2 = rows_of<float, 2>;
using float_3 = rows_of<float, 3>;
using double_0 = rows_of<double, 0>;
using double_1 = rows_of<double, 1>;
using double_2 = rows_of<double, 2>;
using double_3 = rows_of<double, 3>;

}  // namespace

TEMPLATE_TEST_CASE("Each row of the tables runs once, whole and split", "[sanitizer]", float_0, float_1, float_2,
                   float_3, double_0, double_1, double_2, double_3) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = typename TestType::type;
  // Lines on 16 bytes and beside them; each ring of stages goes round, and the terms pass one block of the canon.
  CHECK(run_rows_once<launch::shape::matrix, T>(68, 36, 2052, TestType::number, 4) > 0);
  CHECK(run_rows_once<launch::shape::matrix, T>(132, 36, 3, TestType::number, 4) > 0);
  CHECK(run_rows_once<launch::shape::vector, T>(132, 1, 2052, TestType::number, 4) > 0);
#else
  SKIP("needs a GPU: on the host, tests of plans run every row");
#endif
}

TEMPLATE_TEST_CASE("gemv joins the sums of more blocks than its scratch holds", "[exact]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  CHECK(run_rows_once<launch::shape::vector, TestType>(3, 1, 800 * tile::canon_block_of<TestType> + 5, 0, 1) > 0);
#else
  SKIP("needs a GPU");
#endif
}

TEMPLATE_TEST_CASE("Every row of the tables keeps to its operands", "[exact][sanitizer]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  std::set<std::string> matrix_rows, vector_rows;
  for (const auto& [m, n, k] :
       {std::array<index_t, 3>{1, 1, 1}, {130, 65, 3}, {67, 33, 19}, {66, 34, 18}, {132, 68, 132}, {130, 71, 2053}})
    check_product<launch::shape::matrix, T>(m, n, k, matrix_rows);
  for (const auto& [m, k] : {std::array<index_t, 2>{1, 1},
                             {3, 5},
                             {19, 65},
                             {35, 66},
                             {19, 129},
                             {35, 130},
                             {130, 67},
                             {132, 64},
                             {67, 2049},
                             {259, 4100}})
    check_product<launch::shape::vector, T>(m, 1, k, vector_rows);
  CHECK(matrix_rows.size() >= 4);
  CHECK(matrix_rows.contains("few terms"));
  CHECK(vector_rows.size() >= 5);
#else
  SKIP("needs a GPU: on the host, bounds.cpp asks the same");
#endif
}

TEMPLATE_TEST_CASE("Products of aligned copies keep to their operands", "[exact][sanitizer]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  const Kokkos::Cuda exec;
  for (const auto& [m, n, k] : {std::array<index_t, 3>{5, 3, 7}, {67, 33, 19}, {131, 71, 2053}}) {
    const matrix<T> a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2),
                    c = random_matrix<T>(m, n, numbers::unit, 3);
    const matrix<T> want = abax::reference::gemm('N', 'N', T(1.25), a, b, T(-0.75), c);
    for (int layouts = 0; layouts < 8; ++layouts) {
      const exact_placement at_a{(layouts & 1) != 0, 0, 1, 0}, at_b{(layouts & 2) != 0, 1, 0, 1},
          at_c{(layouts & 4) != 0, 0, 0, 0};
      CAPTURE(m, n, k, at_a.text(), at_b.text(), at_c.text());
      const exact_operand<T> A(a, at_a), B(b, at_b), C(c, at_c);
      const tile::product<T> problem{A.input(), B.input(), C.output(), {T(1.25), T(-0.75)}};
      REQUIRE(multiply_copies<backend>(exec, problem, {true, true}));
      exec.fence();
      REQUIRE(difference(C.values(), want) == "");
    }
  }
#else
  SKIP("needs a GPU: on the host, bounds.cpp asks the same");
#endif
}

TEMPLATE_TEST_CASE("Interleaved batches keep to their operands", "[exact][sanitizer]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  using batch_of = Kokkos::View<T***, Kokkos::LayoutStride, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Kokkos::Cuda exec;
  for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 1, 1}, {3, 2, 5}, {5, 7, 9}, {20, 18, 22}, {33, 35, 37}})
    for (const index_t items : {1, 35, 36, 68}) {  // 36 and 68: lines on 16 bytes, and teams of few items
      CAPTURE(m, n, k, items);
      // Each operand as a matrix of a row for each item.
      const matrix<T> a = random_matrix<T>(items, m * k, numbers::unit, 1),
                      b = random_matrix<T>(items, k * n, numbers::unit, 2),
                      c = random_matrix<T>(items, m * n, numbers::unit, 3);
      const exact_placement edge{false, 0, 0, 0, true};
      const exact_operand<T> A(a, edge), B(b, edge), C(c, edge);
      const auto view = [&](const exact_operand<T>& of, index_t rows, index_t cols) {
        return batch_of(of.output().data, Kokkos::LayoutStride(items, 1, rows, items, cols, items * rows));
      };
      abax::gemm_batched(exec, "N", "N", T(1.25), view(A, m, k), view(B, k, n), T(-0.75), view(C, m, n));
      exec.fence();
      matrix<T> want = c;
      const auto item = [](const matrix<T>& of, index_t i, index_t rows, index_t cols) {
        matrix<T> one(rows, cols);
        for (index_t e = 0; e < rows * cols; ++e) one.elements[e] = of(i, e);
        return one;
      };
      for (index_t i = 0; i < items; ++i) {
        const matrix<T> one =
            abax::reference::gemm('N', 'N', T(1.25), item(a, i, m, k), item(b, i, k, n), T(-0.75), item(c, i, m, n));
        for (index_t e = 0; e < m * n; ++e) want(i, e) = one.elements[e];
      }
      REQUIRE(difference(C.values(), want) == "");
    }
#else
  SKIP("needs a GPU: on the host, bounds.cpp asks the same of products");
#endif
}

TEMPLATE_TEST_CASE("Transposes keep to their operands", "[exact][sanitizer]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  const Kokkos::Cuda exec;
  for (const auto& [m, n] : {std::array<index_t, 2>{1, 1}, {3, 5}, {67, 61}, {64, 130}, {259, 135}}) {
    const matrix<T> a = random_matrix<T>(m, n, numbers::special, 1);
    for (int turn = 0; turn < placements_of_a<T>; ++turn)
      for (int layouts = 0; layouts < 4; ++layouts) {
        const bool a_rows = layouts & 1, b_rows = layouts & 2;
        const exact_placement at_a = placement_of<T>(turn, a_rows, a_rows ? n : m),
                              at_b = placement_of<T>(turn % 3 == 1 ? turn : turn + layouts, b_rows, b_rows ? m : n);
        CAPTURE(m, n, at_a.text(), at_b.text());
        const exact_operand<T> A(a, at_a), B(random_matrix<T>(n, m, numbers::nan, 1), at_b);
        launch::transpose<Kokkos::Cuda, T>::run(exec, A.input(), B.output());
        exec.fence();
        REQUIRE(difference(B.values(), abax::reference::transpose(a)) == "");
      }
  }
  for (const index_t n : {1, 2, 5, 31, 64, 67, 130, 259}) {
    const matrix<T> a = random_matrix<T>(n, n, numbers::special, 1);
    for (int turn = 0; turn < placements_of_a<T>; ++turn) {
      const exact_placement at = placement_of<T>(turn, turn % 2 == 0, n);
      CAPTURE(n, at.text());
      const exact_operand<T> A(a, at);
      launch::transpose<Kokkos::Cuda, T>::run_in_place(exec, A.output());
      exec.fence();
      REQUIRE(difference(A.values(), abax::reference::transpose(a)) == "");
    }
  }
#else
  SKIP("needs a GPU: on the host, bounds.cpp asks the same");
#endif
}

TEMPLATE_TEST_CASE("Sums and streams keep to their operands", "[exact][sanitizer]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  using stream = launch::stream<Kokkos::Cuda, T>;
  const Kokkos::Cuda exec;
  constexpr int chunk = 16 / sizeof(T);
  for (const index_t n : {1, 2, 3, 4, 5, 7, 8, 31, 33, 63, 65, 127, 1000, 2049, 4099, 40007}) {
    const matrix<T> x = random_vector<T>(n, numbers::unit, 1), y = random_vector<T>(n, numbers::unit, 2);
    for (int turn = 0; turn < 4 * chunk; ++turn) {
      const index_t offset = turn % chunk;
      const bool alike = turn / chunk % 2 == 0;  // x and y lie alike, or not
      const exact_placement at_x{false, 0, turn / chunk < 2 ? offset : 0, turn / chunk < 2 ? 0 : offset},
          at_y = alike ? at_x : exact_placement{false, 0, (offset + 1) % chunk, 0};
      CAPTURE(n, at_x.text(), at_y.text());
      const exact_operand<T> X(x, at_x), Y(y, at_y), Z(y, at_x), R(matrix<T>(1, 1), {});
      launch::reductions<Kokkos::Cuda, T>::run(exec, tile::dot<T>{{{X.input_vector(), Y.input_vector()}}},
                                               R.output_vector().data);
      stream::combine("test", exec, T(0.9), X.input(), T(1), "y", Y.input(), "z", Z.output());
      exec.fence();
      REQUIRE(difference(R.values()(0), abax::reference::dot(x, y)) == "");
      REQUIRE(difference(Z.values(), abax::reference::triad(T(0.9), x, y)) == "");
      stream::copy(exec, X.input(), Z.output());
      stream::combine("test", exec, T(1.7), X.input(), T(-0.3), "y", Y.input(), "y", Y.output());
      stream::increment(exec, T(0.1), X.output_vector());
      exec.fence();
      REQUIRE(difference(Z.values(), x) == "");
      REQUIRE(difference(Y.values(), abax::reference::axpby(T(1.7), x, T(-0.3), y)) == "");
      REQUIRE(difference(X.values(), abax::reference::increment(T(0.1), x)) == "");
    }
  }
  for (const auto& [m, n] : {std::array<index_t, 2>{85, 13}, {257, 5}, {1025, 3}}) {
    const matrix<T> x = random_matrix<T>(m, n, numbers::unit, 1), y = random_matrix<T>(m, n, numbers::unit, 2);
    const matrix<T> want = abax::reference::axpby(T(1.7), x, T(-0.3), y);
    for (int turn = 0; turn < 16; ++turn) {
      const exact_placement at_x{(turn & 1) != 0, turn & 1, turn & 2, 0, true}, at_y{(turn & 4) != 0, 1, 0, turn & 3},
          at_z{(turn & 8) != 0, turn & 1, 1, 0, true};
      CAPTURE(m, n, at_x.text(), at_y.text(), at_z.text());
      const exact_operand<T> X(x, at_x), Y(y, at_y), Z(y, at_z);
      stream::combine("test", exec, T(1.7), X.input(), T(-0.3), "y", Y.input(), "z", Z.output());
      exec.fence();
      REQUIRE(difference(Z.values(), want) == "");
    }
  }
#else
  SKIP("needs a GPU: on the host, bounds.cpp asks the same");
#endif
}
