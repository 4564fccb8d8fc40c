// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches against the oracle, item by item: every layout of items and matrices, shared operands, sizes that differ.
#include <Kokkos_Core.hpp>
#include <abax/gemm_batched.hpp>
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "batch_operands.hpp"
#include "inputs.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

template <class T>
struct batch_case {
  index_t items, m, n, k;
  char trans_a = 'N', trans_b = 'N';
  T alpha = T(1.25), beta = T(-0.75);
  lie a = lie::columns, b = lie::columns, c = lie::columns;
  index_t offset = 0;
  numbers numbers_a = numbers::unit, numbers_b = numbers::unit, numbers_c = numbers::unit;
};

template <class T>
void check(const batch_case<T>& g) {
  const bool ta = abax::reference::transposes(g.trans_a), tb = abax::reference::transposes(g.trans_b);
  const std::uint64_t seed = 2 * (g.m + 3 * g.n + 5 * g.k + 7 * g.items);
  const operand_of<T> a(g.items, ta ? g.k : g.m, ta ? g.m : g.k, g.a, g.offset, g.numbers_a, seed),
      b(g.items, tb ? g.n : g.k, tb ? g.k : g.n, g.b, g.offset == 3 ? 3 : g.offset / 2, g.numbers_b, seed + 1),
      c(g.items, g.m, g.n, g.c, g.offset == 3 ? 3 : g.offset / 3, g.numbers_c, seed + 10);
  std::vector<T> want = c.memory;
  for (index_t i = 0; i < g.items; ++i)
    c.put(want, i,
          abax::reference::gemm(g.trans_a, g.trans_b, g.alpha, a.item(a.how == lie::shared ? 0 : i),
                                b.item(b.how == lie::shared ? 0 : i), g.beta, c.item(i)));
  const char trans_a[] = {g.trans_a, '\0'}, trans_b[] = {g.trans_b, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const placed<T, Exec> A(a), B(b), C(c);
    const auto with_b = [&](const auto& a_view) {
      const auto c_view = C.template view<T, 3>();
      if (g.b == lie::shared)
        abax::gemm_batched(exec, trans_a, trans_b, g.alpha, a_view, B.template view<const T, 2>(), g.beta, c_view);
      else
        abax::gemm_batched(exec, trans_a, trans_b, g.alpha, a_view, B.template view<const T, 3>(), g.beta, c_view);
    };
    if (g.a == lie::shared)
      with_b(A.template view<T, 2>());
    else
      with_b(A.template view<T, 3>());
    exec.fence();
    CAPTURE(Exec::name(), g.items, g.m, g.n, g.k, g.trans_a, g.trans_b, g.alpha, g.beta, int(g.a), int(g.b), int(g.c),
            g.offset);
    REQUIRE(C.difference_from(want) == "");
    REQUIRE(A.difference_from(a.memory) == "");
    REQUIRE(B.difference_from(b.memory) == "");
  });
}

template <class T>
batch_case<T> random_case(random_bits& random, int largest) {
  const auto size = [&] { return index_t(random.below(largest + 1)); };
  const T factors[] = {T(1), T(0), T(-0.75), T(1.5)};
  batch_case<T> g{1 + random.below(40), size(), size(), size()};
  g.trans_a = "NTC"[random.below(3)];
  g.trans_b = "NTC"[random.below(3)];
  g.alpha = factors[random.below(12) == 0 ? 1 : random.below(2) * 3];
  g.beta = factors[random.below(4)];
  if (random.below(3) == 0) g.m = g.n = g.k = size();
  g.c = lie(random.below(lies - 1));
  g.a = random.below(2) == 0 ? g.c : lie(random.below(lies));
  g.b = random.below(2) == 0 ? g.c : lie(random.below(lies));
  g.offset = random.below(3) == 0 ? random.below(12) : 3;  // 3 and 5 more: on 16 bytes, if memory is
  if (g.beta == 0) g.numbers_c = numbers::nan;
  return g;
}

}  // namespace

TEMPLATE_TEST_CASE("Batches have the bits of gemm item by item: random sizes to 70, layouts and factors", "[batched]",
                   float, double) {
  random_bits random(22);
  for (int turn = 0; turn < 300; turn += unless_watched(1, 7))
    check(random_case<TestType>(random, turn < 150 ? 12 : turn < 260 ? 36 : 70));
}

TEMPLATE_TEST_CASE("Batches have the bits of gemm at every size to 36 and some larger", "[batched]", float, double) {
  sample cases(5);
  for (index_t n = 0; n <= 36; ++n)
    for (const lie how : {lie::columns, lie::rows, lie::interleaved})
      for (const index_t items : {67, 64})  // of 64 interleaved ones each line is on 16 bytes
        if ((items == 67 || how == lie::interleaved) && cases.takes())
          check(batch_case<TestType>{items, n, n, n, 'N', n % 2 == 0 ? 'N' : 'T', TestType(1), TestType(n % 3 == 0),
                                     how, how, how, 3});
  for (const index_t n : {48, 63, 64, 65, 70})
    check(batch_case<TestType>{19, n, n, n, 'T', 'N', TestType(1), TestType(0), lie::columns, lie::columns,
                               lie::columns, 3});
  for (const index_t n : {5, 7, 9, 21})  // C by rows, as it is read, whose columns are nearer than its rows
    for (const TestType beta : {TestType(0), TestType(-0.75)})
      check(batch_case<TestType>{17, n, n, n, 'N', 'N', TestType(1), beta, lie::columns, lie::columns,
                                 lie::interleaved_gap});
  check(batch_case<TestType>{5, 131, 97, 113, 'N', 'T', TestType(-1), TestType(0.5), lie::padded_columns, lie::shared,
                             lie::rows});
  check(batch_case<TestType>{3, 201, 193, 157, 'T', 'N'});
  check(batch_case<TestType>{9, 6, 5, 7, 'N', 'N', TestType(1), TestType(0), lie::repeated, lie::repeated});
  check(batch_case<TestType>{7, 1, 40, 33, 'N', 'N'});
  check(batch_case<TestType>{7, 40, 1, 33, 'T', 'T'});
}

TEMPLATE_TEST_CASE("Batches of larger items have the bits of gemm from any to any memory", "[batched]", float, double) {
  using T = TestType;
  for (const index_t n : {24, 32, 44, 52, 64})
    for (const char ta : {'N', 'T'})
      for (const char tb : {'N', 'T'})
        for (const lie c : {lie::columns, lie::padded_columns, lie::rows})
          for (const T beta : {T(0), T(-0.75)})
            for (const index_t offset : {0, 3})  // 3: operands on 16 bytes
              check<T>({.items = 5,
                        .m = n,
                        .n = n,
                        .k = n,
                        .trans_a = ta,
                        .trans_b = tb,
                        .beta = beta,
                        .c = c,
                        .offset = offset});
  check<T>({.items = 3, .m = 44, .n = 48, .k = 20, .beta = T(0), .a = lie::shared});
  // Of few terms and very many outputs.
  for (const T beta : {T(0), T(-0.75)}) {
    check<T>({.items = 2, .m = 896, .n = 896, .k = 1, .beta = beta});
    check<T>({.items = 2, .m = 728, .n = 1017, .k = 4, .beta = beta});
    check<T>({.items = 2, .m = 3000, .n = 40, .k = 2, .beta = beta});
  }
}

TEMPLATE_TEST_CASE("Batches keep the canon's blocks beyond 2048 terms", "[batched]", float, double) {
  for (const lie how : {lie::columns, lie::rows, lie::interleaved, lie::strided}) {
    check(batch_case<TestType>{3, 5, 7, 2049, 'N', 'N', TestType(1), TestType(0), how, how, how});
    check(batch_case<TestType>{2, 9, 4, 4100, 'T', 'N', TestType(1.5), TestType(-1), how, how, lie::columns, 1});
    check(batch_case<TestType>{3, 6, 3, 2048, 'N', 'T', TestType(1), TestType(0), how, how, how, 3});
  }
  // Few items of several tiles and many blocks: on a GPU several teams share each tile of each item.
  check(batch_case<TestType>{3, 40, 24, 20000, 'N', 'T', TestType(1), TestType(0.5), lie::columns, lie::columns,
                             lie::columns});
}

TEMPLATE_TEST_CASE("Interleaved batches have the bits of gemm by way of scratch, and in parts that fit there",
                   "[batched]", float, double) {
  const auto check_each = [](index_t items, index_t m, index_t n, index_t k, lie how) {
    for (const TestType beta : {TestType(0), TestType(-0.75)}) {
      check(batch_case<TestType>{items, m, n, k, 'N', 'T', TestType(1), beta, how, how, how});
      check(batch_case<TestType>{items, m, n, k, 'N', 'N', TestType(-1), beta, lie::shared, how, how});
      check(batch_case<TestType>{items, m, n, k, 'T', 'N', TestType(1), beta, how, lie::shared, how, 3});
    }
    check(batch_case<TestType>{items, m, n, k, 'N', 'N', TestType(1), TestType(0.5), lie::shared, lie::shared, how});
  };
  // Lines of 1024 elements meet in one set of a CPU's first cache.
  check_each(1024, 9, 8, 10, lie::interleaved);
  check_each(1021, 7, 11, 6, lie::interleaved_gap);
  // And those of so many that threads divide the items, not the columns.
  check_each(16384 / sizeof(TestType), 9, 8, 10, lie::interleaved);
  check_each(32768 / sizeof(TestType) - 3, 7, 11, 6, lie::interleaved_gap);
  // More elements than stay where they lie, unless threads share C's columns.
  constexpr index_t lanes = 64 / sizeof(TestType);
  for (const index_t vectors : {8, 9, 19, 24, 25, 27}) check_each(vectors * lanes + 3, 50, 47, 50, lie::interleaved);
  // The same of a quarter of the columns, too; with AVX-512 a turn ends with as many vectors of items as are moved at
  // once, seven, with one more, or with three, and with three more items.
  for (const index_t vectors : {7, 8, 17, 21, 22, 24})
    for (const TestType beta : {TestType(0), TestType(-0.75)})
      check(batch_case<TestType>{vectors * lanes + 3, 72, 72, 50, 'N', 'T', TestType(1), beta, lie::interleaved,
                                 lie::interleaved, lie::interleaved});
  check_each(10 * lanes + 3, 9, 40, 600, lie::interleaved);
  check_each(4 * lanes, 47, 52, 46, lie::interleaved_gap);
  // Of so many terms that only some rows and columns fit.
  check_each(19, 11, 11, 2048, lie::interleaved);
  check_each(19, 3, 40, 2048, lie::interleaved);
  check_each(19, 60, 2, 2048, lie::interleaved_gap);
}

TEMPLATE_TEST_CASE("Batches of NaN, infinities, signed zeros and subnormals have the bits of gemm", "[batched]", float,
                   double) {
  for (const lie how : {lie::columns, lie::interleaved, lie::padded_rows})
    for (const numbers kind : {numbers::special, numbers::wide, numbers::subnormal, numbers::vanishing})
      for (const TestType beta : {TestType(0), TestType(1), TestType(-0.75)}) {
        batch_case<TestType> g{33, 6, 5, 7, 'N', 'T', TestType(1), beta, how, how, how, 3, kind, kind, kind};
        check(g);
        g.alpha = TestType(-1);
        g.m = g.n = g.k = 16;
        check(g);
      }
}

TEMPLATE_TEST_CASE("Batches read no operand that a factor makes vain", "[batched]", float, double) {
  for (const lie how : {lie::columns, lie::interleaved, lie::strided}) {
    batch_case<TestType> g{9, 6, 5, 7, 'N', 'N', TestType(0), TestType(-2), how, how, how, 3};
    g.numbers_a = g.numbers_b = numbers::nan;
    check(g);
    g.beta = TestType(0);
    g.numbers_c = numbers::nan;
    check(g);
    g.k = 0;
    g.alpha = TestType(1);
    check(g);
  }
}

TEMPLATE_TEST_CASE("Batches of no item, of one and of very many", "[batched]", float, double) {
  for (const index_t items : {0, 1, 2, 70000})
    for (const lie how : {lie::columns, lie::interleaved, lie::padded_columns})
      check(batch_case<TestType>{items, 2, 2, 2, 'N', 'N', TestType(1), TestType(0), how, how, how, 3});
  check(batch_case<TestType>{70001, 2, 2, 1, 'N', 'N', TestType(1), TestType(1), lie::shared, lie::strided,
                             lie::strided});
}

namespace {

/// Elements of a vector that say which one they are, and those of another that are not six times as large.
struct counted {
  float *b, *c;

  struct fill {};
  struct compare {};
  KOKKOS_FUNCTION static float value(index_t i) { return static_cast<float>(i % 8191); }
  KOKKOS_FUNCTION void operator()(fill, index_t i) const { b[i] = value(i); }
  KOKKOS_FUNCTION void operator()(compare, index_t i, index_t& wrong) const { wrong += c[i] != 6 * value(i); }
};

}  // namespace

TEST_CASE("A part of a batch has the operands of its items", "[batched]") {
  std::vector<float> memory(200);
  std::vector<const float*> a_at, b_at;
  std::vector<float*> c_at;
  for (index_t i = 0; i < 9; ++i) {
    a_at.push_back(memory.data() + 7 * i % 11);
    b_at.push_back(memory.data() + 3 * i);
    c_at.push_back(memory.data() + 100 + 5 * i);
  }
  abax::tile::batch<float> strided;
  strided.first.items = 9;
  strided.first.a.data = memory.data() + 1;
  strided.first.b.data = memory.data() + 2;
  strided.first.c.data = memory.data() + 100;
  strided.a_step = 3;
  strided.b_step = 0;
  strided.c_step = 7;
  abax::tile::batch<float> pointed;
  pointed.first.items = 9;
  pointed.a_at = a_at.data();
  pointed.b_at = b_at.data();
  pointed.c_at = c_at.data();
  for (const auto& whole : {strided, pointed})
    for (const index_t begin : {0, 4, 8}) {
      const index_t count = std::min<index_t>(3, 9 - begin);
      const auto part = whole.part(begin, count);
      REQUIRE(part.items() == count);
      for (index_t i = 0; i < count; ++i) {
        REQUIRE(part.a(i) == whole.a(begin + i));
        REQUIRE(part.b(i) == whole.b(begin + i));
        REQUIRE(part.c(i) == whole.c(begin + i));
      }
    }
}

TEST_CASE("A batch of more items than one launch takes", "[batched]") {
#ifdef KOKKOS_ENABLE_CUDA
  using exec_space = Kokkos::Cuda;
  using items_of = Kokkos::View<float***, Kokkos::LayoutStride, Kokkos::CudaSpace, Kokkos::MemoryUnmanaged>;
  constexpr index_t items = (index_t(1) << 29) + 70;
  const exec_space exec;
  const Kokkos::View<float**, Kokkos::CudaSpace> three("three", 1, 1);
  Kokkos::deep_copy(three, 3.0F);
  const Kokkos::View<float*, Kokkos::CudaSpace> b(Kokkos::view_alloc(Kokkos::WithoutInitializing, "b"), items),
      c(Kokkos::view_alloc(Kokkos::WithoutInitializing, "c"), items);
  const counted all{b.data(), c.data()};
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<exec_space, counted::fill, index_t>(exec, 0, items), all);
  const Kokkos::LayoutStride side_by_side(items, 1, 1, 1, 1, 1);
  abax::gemm_batched(exec, "N", "N", 2.0F, three, items_of(b.data(), side_by_side), 0.0F,
                     items_of(c.data(), side_by_side));
  index_t wrong = 0;
  Kokkos::parallel_reduce("compare", Kokkos::RangePolicy<exec_space, counted::compare, index_t>(exec, 0, items), all,
                          wrong);
  REQUIRE(wrong == 0);
#else
  SKIP("needs a GPU: on the host it takes too long");
#endif
}

TEMPLATE_TEST_CASE("Batches have the bits of gemm where teams are more than run at once", "[batched]", float, double) {
  using T = TestType;
  random_bits random(24);
  constexpr lie dense[] = {lie::columns, lie::rows, lie::padded_columns};
  const auto check_shape = [&](index_t m, index_t n, index_t k, char trans_a, char trans_b) {
    const lie how = dense[random.below(3)];
    check<T>({.items = items_for_rounds<T>(m, n, k),
              .m = m,
              .n = n,
              .k = k,
              .trans_a = trans_a,
              .trans_b = trans_b,
              .beta = T(random.below(2)),
              .a = how,
              .b = how,
              .c = random.below(2) == 0 ? how : lie::columns,
              .offset = 3});
  };
  const auto check_size = [&](index_t n, char trans_a, char trans_b) {
    // Some have whole chunks of rows and columns, and not whole tiles of tensor cores.
    check_shape(n, n > 12 && random.below(2) == 0 ? n - 4 : n, n, trans_a, trans_b);
  };
  const auto any_op = [&] { return "NT"[random.below(2)]; };
  for (const index_t n : {3, 4, 5, 7, 9, 10, 11, 12, 13, 17, 20, 21, 23, 25, 28, 33, 40, 44, 47, 52}) {
    const char trans_a = any_op();
    check_size(n, trans_a, any_op());
  }
  for (const index_t n : {8, 16, 24, 32, 48})
    for (const char trans_a : {'N', 'T'})
      for (const char trans_b : {'N', 'T'}) check_size(n, trans_a, trans_b);
  // Whole chunks in double that tensor cores do not take: terms that are no multiple of 4, and too few columns.
  for (const index_t n : {14, 22}) check_shape(n, n, n, 'N', 'N');
  check_shape(44, 6, 44, 'N', 'N');
  for (const index_t n : {56, 60, 64}) check_shape(n, n, n, any_op(), 'N');
  // Groups of a size that is compiled, of which the last has an item.
  for (const char trans_b : {'N', 'T'})
    check<T>({.items = items_for_rounds<T>(32, 32, 32) / 4 * 4 + 1,
              .m = 32,
              .n = 32,
              .k = 32,
              .trans_b = trans_b,
              .offset = 3});
}

TEMPLATE_TEST_CASE(
    "Interleaved batches have the bits of gemm where teams are more than run at once, or have several pieces",
    "[batched]", float, double) {
  using T = TestType;
  random_bits random(25);
  const auto check_shape = [&](index_t items, index_t m, index_t n, index_t k) {
    check<T>({.items = items,
              .m = m,
              .n = n,
              .k = k,
              .trans_a = "NT"[random.below(2)],
              .trans_b = "NT"[random.below(2)],
              .beta = T(random.below(2)),
              .a = lie::interleaved,
              .b = lie::interleaved,
              .c = lie::interleaved,
              .offset = items % 4 == 0 ? 3 : index_t(random.below(4))});  // 3: lines on 16 bytes
  };
  // A tile holds an item, and items are more than a group for each place that a GPU has: those of the rows whose teams
  // stay are three to a multiprocessor at most.
  for (const index_t n : {9, 12, 13, 16, 17, 20, 21, 24, 25, 32})
    for (const index_t more : {0, 1})
      check_shape(items_for_teams<T>(n < 17 ? 4 : 2) + more, n, n - random.below(3), 1 + random.below(12));
  // Several tiles of an item: of 12 rows and columns, of 16, and of those that end past it.
  for (const auto& [m, n, k] : {std::array<index_t, 3>{33, 36, 5}, {48, 48, 3}, {41, 33, 9}, {64, 9, 4}, {10, 100, 6}})
    for (const index_t items : {760, 761}) check_shape(items, m, n, k);
  check_shape(1601, 48, 48, 3);  // of nine tiles each, in float by teams that have a second piece
  // Lanes: each side of a tile, with one of an item and with several that lie within it.
  for (const index_t n : {3, 4, 5, 6, 7, 8, 9, 11, 12})
    for (const index_t m : {n, n + 2, index_t(29)}) check_shape(301, m, n, 7);
  // Of few columns and very many rows.
  check_shape(70, 1500, 3, 5);
}

TEMPLATE_TEST_CASE("A reduced set of batches for the sanitizers", "[batched][sanitizer]", float, double) {
  for (const index_t n : {3, 4, 8, 16, 33})
    for (const lie how : {lie::columns, lie::rows, lie::interleaved, lie::padded_columns})
      check(batch_case<TestType>{13, n, n, n, 'N', 'N', TestType(1), TestType(n % 2), how, how, how, 3});
  // Of each side that register tiles may have, in shapes of few threads and of many, by columns and by rows.
  for (const index_t n : {5, 6, 7, 9, 17, 21, 23, 29})
    for (const char trans : {'N', 'T'})
      check(batch_case<TestType>{61, n, n + 2, n, trans, trans, TestType(1), TestType(n % 2), lie::columns,
                                 lie::columns, lie::columns, 3});
  for (const index_t n : {8, 24, 32, 48})
    check(batch_case<TestType>{items_for_rounds<TestType>(n, n, n), n, n, n, 'N', 'T', TestType(1), TestType(0),
                               lie::columns, lie::columns, lie::columns, 3});
  // In double with tiles of 16 that reach far beyond the last row.
  check(batch_case<TestType>{items_for_rounds<TestType>(18, 9, 124), 18, 9, 124, 'T', 'N', TestType(1), TestType(0),
                             lie::columns, lie::columns, lie::columns, 3});
  check(batch_case<TestType>{2, 70, 66, 67, 'T', 'N'});
  // Interleaved ones by tiles, copied 16 bytes at a time and one element at a time; where a tile holds an item, and
  // where there are several of each item.
  const auto check_interleaved = [](index_t items, index_t m, index_t n, index_t k, TestType beta) {
    check(batch_case<TestType>{items, m, n, k, 'N', 'T', TestType(1), beta, lie::interleaved, lie::interleaved,
                               lie::interleaved, items % 4 == 0 ? 3 : 1});  // 3: lines on 16 bytes
  };
  for (const index_t n : {10, 14, 18, 22, 26})
    for (const index_t items : {61, 64}) check_interleaved(items, n, n + 1, n, TestType(n % 8 == 2));
  for (const index_t items : {533, 536}) check_interleaved(items, 34, 37, 9, TestType(0));
  // Teams that have a second piece.
  for (const index_t more : {0, 1}) check_interleaved(items_for_teams<TestType>(1) + more, 24, 23, 5, TestType(0));
}
