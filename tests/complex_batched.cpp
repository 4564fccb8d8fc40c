// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of small complex products against the oracle, item by item: sizes, ops and layouts, shared operands and
// pointers, elements that lie off multiples of their size, numbers of every kind.
#include <abax/gemm_batched.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "batch_layouts.hpp"
#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;

namespace {

/// Those that any operand may have, and then the one that C may not have.
constexpr lie drawn[] = {lie::columns, lie::rows,        lie::padded_columns, lie::padded_rows,
                         lie::strided, lie::interleaved, lie::shared};
constexpr int lies = 6;
constexpr char ops[] = {'N', 'T', 'C'};

/// Items in memory that is made of real numbers, `offset` of which lie before the first item.
template <class R>
struct operand_of {
  using T = complex<R>;
  index_t items, rows, cols;
  lie how;
  index_t offset;
  index_t item_stride, row_stride, col_stride;
  std::vector<R> memory;

  operand_of(index_t items_, index_t rows_, index_t cols_, lie how_, index_t offset_, numbers kind, std::uint64_t seed)
      : items(items_), rows(rows_), cols(cols_), how(how_), offset(offset_) {
    std::tie(item_stride, row_stride, col_stride) = strides_of(how, items, rows, cols);
    const index_t last = (items - 1) * item_stride + (rows - 1) * row_stride + (cols - 1) * col_stride;
    memory.assign(offset + 2 * (last + 1) + 9, guard_value<R>());
    for (index_t i = 0; i < (how == lie::shared ? 1 : items); ++i)
      put(memory, i, random_complex<R>(rows, cols, kind, seed + 2 * i));
  }
  index_t begin_of(index_t item) const { return offset + 2 * item * item_stride; }
  index_t at(index_t item, index_t i, index_t j) const {
    return begin_of(item) + 2 * (i * row_stride + j * col_stride);
  }
  void put(std::vector<R>& to, index_t item, const matrix<T>& values) const {
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) std::memcpy(&to[at(item, i, j)], &values(i, j), sizeof(T));
  }
  matrix<T> item(index_t i) const {
    matrix<T> m(rows, cols);
    for (index_t j = 0; j < cols; ++j)
      for (index_t r = 0; r < rows; ++r)
        std::memcpy(static_cast<void*>(&m(r, j)), &memory[at(how == lie::shared ? 0 : i, r, j)], sizeof(T));
    return m;
  }
};

/// The memory of an operand where `Exec` computes.
template <class R, class Exec>
struct placed {
  using T = complex<R>;
  using space = typename Exec::memory_space;
  const operand_of<R>& host;
  Kokkos::View<R*, space> memory;

  explicit placed(const operand_of<R>& given)
      : host(given), memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "operand"), given.memory.size()) {
    Kokkos::deep_copy(memory, Kokkos::View<const R*, Kokkos::HostSpace>(given.memory.data(), given.memory.size()));
  }
  template <class Value>
  auto all() const {
    return Kokkos::View<Value***, Kokkos::LayoutStride, space, Kokkos::MemoryUnmanaged>(
        reinterpret_cast<T*>(memory.data() + host.offset),
        Kokkos::LayoutStride(host.items, host.item_stride, host.rows, host.row_stride, host.cols, host.col_stride));
  }
  auto one() const {
    return Kokkos::View<const T**, Kokkos::LayoutStride, space, Kokkos::MemoryUnmanaged>(
        reinterpret_cast<const T*>(memory.data() + host.offset),
        Kokkos::LayoutStride(host.rows, host.row_stride, host.cols, host.col_stride));
  }
  /// visit(view): of rank 2 where all items share one.
  template <class Visit>
  void visit(const Visit& visit) const {
    if (host.how == lie::shared)
      visit(one());
    else
      visit(all<const T>());
  }
  /// The items' addresses, from the last item to the first.
  Kokkos::View<std::uintptr_t*, space> pointers() const {
    const Kokkos::View<std::uintptr_t*, space> there("pointers", host.items);
    const auto here = Kokkos::create_mirror_view(there);
    for (index_t i = 0; i < host.items; ++i)
      here(i) = reinterpret_cast<std::uintptr_t>(memory.data() + host.begin_of(host.items - 1 - i));
    Kokkos::deep_copy(there, here);
    return there;
  }
  std::string difference_from(const std::vector<R>& want) const {
    std::vector<R> got(want.size());
    Kokkos::deep_copy(Kokkos::View<R*, Kokkos::HostSpace>(got.data(), got.size()), memory);
    return difference(got.data(), want.data(), static_cast<index_t>(want.size()),
                      [](index_t e) { return "number " + std::to_string(e) + " of the memory"; });
  }
};

template <class R>
struct batch_case {
  index_t items, m, n, k;
  char op_a = 'N', op_b = 'N';
  complex<R> alpha{1, 0}, beta{0, 0};
  lie a = lie::columns, b = lie::columns, c = lie::columns;
  index_t offset_a = 0, offset_b = 0, offset_c = 0;  ///< real numbers
  numbers kind = numbers::unit;
  bool by_pointers = false;  ///< all operands are padded, along the same index
};

template <class R>
void check(const batch_case<R>& g) {
  using T = complex<R>;
  const bool ta = abax::reference::transposes(g.op_a), tb = abax::reference::transposes(g.op_b);
  const std::uint64_t seed = 2 * (g.m + 3 * g.n + 5 * g.k + 7 * g.items);
  const numbers of_c = abax::reference::is(g.beta, 0) ? numbers::nan : g.kind;  // not to be read
  const operand_of<R> a(g.items, ta ? g.k : g.m, ta ? g.m : g.k, g.a, g.offset_a, g.kind, seed),
      b(g.items, tb ? g.n : g.k, tb ? g.k : g.n, g.b, g.offset_b, g.kind, seed + 1),
      c(g.items, g.m, g.n, g.c, g.offset_c, of_c, seed + 10);
  std::vector<R> want = c.memory;
  for (index_t i = 0; i < g.items; ++i)
    c.put(want, i, abax::reference::gemm(g.op_a, g.op_b, g.alpha, a.item(i), b.item(i), g.beta, c.item(i)));
  const char op_a[] = {g.op_a, '\0'}, op_b[] = {g.op_b, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const placed<R, Exec> A(a), B(b), C(c);
    if (g.by_pointers) {
      const bool by_rows = g.c == lie::padded_rows;
      const auto ld = [&](const operand_of<R>& o) { return by_rows ? o.row_stride : o.col_stride; };
      const auto at_a = A.pointers(), at_b = B.pointers(), at_c = C.pointers();
      abax::gemm_batched(exec, op_a, op_b, {g.m, g.n, g.k, ld(a), ld(b), ld(c)}, g.alpha,
                         reinterpret_cast<const T* const*>(at_a.data()), reinterpret_cast<const T* const*>(at_b.data()),
                         g.beta, reinterpret_cast<T* const*>(at_c.data()), g.items,
                         by_rows ? abax::storage::by_rows : abax::storage::by_columns);
      exec.fence();
    } else {
      A.visit([&](const auto& a_view) {
        B.visit([&](const auto& b_view) {
          abax::gemm_batched(exec, op_a, op_b, g.alpha, a_view, b_view, g.beta, C.template all<T>());
        });
      });
      exec.fence();
    }
    CAPTURE(Exec::name(), g.items, g.m, g.n, g.k, g.op_a, g.op_b, hex(g.alpha), hex(g.beta), int(g.a), int(g.b),
            int(g.c), g.offset_a, g.offset_b, g.offset_c, int(g.kind), g.by_pointers);
    REQUIRE(C.difference_from(want) == "");
    REQUIRE(A.difference_from(a.memory) == "");
    REQUIRE(B.difference_from(b.memory) == "");
  });
}

template <class R>
complex<R> any_factor(random_bits& random) {
  const complex<R> factors[] = {{1, 0}, {0, 0}, {R(-0.75), R(0.375)}, {0, -1}};
  return factors[random.below(4)];
}

}  // namespace

TEMPLATE_TEST_CASE("Small complex batches have the bits of gemm at every size to 33", "[complex][batched]", float,
                   double) {
  using R = TestType;
  random_bits random(31);
  sample cases(5);
  for (index_t n = 1; n <= 33; ++n)
    for (const char op_a : ops)
      for (const char op_b : ops) {
        if (!cases.takes()) continue;
        // Of even and odd numbers of items, dense ones, as they mostly come.
        const lie how = random.below(2) == 0 ? lie::columns : lie::rows;
        check<R>({.items = 1 + random.below(n < 12 ? 70 : 20),
                  .m = n,
                  .n = n,
                  .k = n,
                  .op_a = op_a,
                  .op_b = op_b,
                  .alpha = random.below(2) == 0 ? complex<R>(1, 0) : complex<R>(R(1.25), R(-0.5)),
                  .beta = any_factor<R>(random),
                  .a = how,
                  .b = how,
                  .c = how,
                  .offset_a = random.below(4) == 0 ? random.below(4) : 0,
                  .offset_b = random.below(4) == 0 ? random.below(4) : 0,
                  .offset_c = random.below(4) == 0 ? random.below(4) : 0});
      }
}

TEMPLATE_TEST_CASE("Small complex batches have the bits of gemm: random sizes, layouts, factors and numbers",
                   "[complex][batched]", float, double) {
  using R = TestType;
  random_bits random(32);
  constexpr numbers kinds[] = {numbers::unit, numbers::unit, numbers::special, numbers::wide, numbers::vanishing};
  for (int turn = 0; turn < 240; turn += unless_watched(1, 7)) {
    const auto size = [&] { return index_t(1 + random.below(turn < 120 ? 12 : 34)); };
    batch_case<R> g{.items = 1 + random.below(40), .m = size(), .n = size(), .k = size()};
    g.op_a = ops[random.below(3)];
    g.op_b = ops[random.below(3)];
    g.alpha = random.below(2) == 0 ? complex<R>(1, 0) : complex<R>(R(0.5), R(-1.5));
    g.beta = any_factor<R>(random);
    g.kind = kinds[random.below(5)];
    g.offset_a = random.below(3);
    g.offset_b = random.below(3);
    g.offset_c = random.below(3);
    g.by_pointers = turn % 4 == 0;
    if (g.by_pointers) {
      g.a = g.b = g.c = random.below(2) == 0 ? lie::padded_columns : lie::padded_rows;
    } else {
      g.c = drawn[random.below(lies)];
      g.a = random.below(2) == 0 ? g.c : drawn[random.below(lies + 1)];
      g.b = random.below(2) == 0 ? g.c : drawn[random.below(lies + 1)];
    }
    check(g);
  }
}

TEMPLATE_TEST_CASE("Complex batches have the bits of gemm where teams are more than run at once", "[complex][batched]",
                   float, double) {
  using R = TestType;
  random_bits random(33);
  constexpr lie dense[] = {lie::columns, lie::rows, lie::padded_columns};
  // Up to 24, which a GPU's rows of small batches take.
  for (const index_t n : {1, 2, 3, 4, 4, 5, 6, 8, 8, 9, 12, 12, 15, 16, 16, 17, 18, 20, 23, 24}) {
    const lie how = dense[random.below(3)];
    check<R>({.items = items_for_rounds<complex<R>>(n, n, n),
              .m = n,
              .n = n,
              .k = n,
              .op_a = ops[random.below(3)],
              .op_b = ops[random.below(3)],
              .beta = any_factor<R>(random),
              .a = how,
              .b = how,
              .c = random.below(2) == 0 ? how : lie::columns,
              .offset_a = random.below(4) == 0});
  }
}

TEMPLATE_TEST_CASE("Complex batches of more terms than outputs, and of more than a block of them", "[complex][batched]",
                   float, double) {
  using R = TestType;
  for (const lie how : {lie::columns, lie::rows})
    for (const index_t k : {100, 1024, 1025}) {
      check<R>({.items = 5, .m = 2, .n = 3, .k = k, .op_a = 'C', .op_b = 'N', .a = how, .b = how, .c = how});
      check<R>({.items = 3, .m = 5, .n = 1, .k = k, .beta = {0, 1}, .a = how, .b = how, .c = how});
    }
}

TEMPLATE_TEST_CASE("A reduced set of complex batches for the sanitizers", "[complex][batched][sanitizer]", float,
                   double) {
  using R = TestType;
  for (const index_t n : {1, 3, 4, 8, 16, 24, 32, 33})
    for (const lie how : {lie::columns, lie::rows, lie::padded_columns})
      check<R>({.items = 13,
                .m = n,
                .n = n,
                .k = n,
                .op_a = 'C',
                .op_b = how == lie::rows ? 'T' : 'N',
                .beta = {R(n % 2), 0},
                .a = how,
                .b = how,
                .c = how,
                .offset_a = n == 3,
                .offset_c = n == 8});
  for (const index_t n : {4, 16})
    check<R>({.items = items_for_rounds<complex<R>>(n, n, n), .m = n, .n = n, .k = n, .op_b = 'T'});
  check<R>({.items = 7,
            .m = 5,
            .n = 6,
            .k = 7,
            .beta = {0, 1},
            .a = lie::padded_columns,
            .b = lie::padded_columns,
            .c = lie::padded_columns,
            .offset_b = 1,
            .by_pointers = true});
}
