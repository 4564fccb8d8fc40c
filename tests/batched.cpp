// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches against the oracle, item by item: every layout of items and matrices, shared operands, pointers, sizes that
// differ; and the errors, after which nothing has been written.
#include <abax/gemm.hpp>
#include <abax/gemm_batched.hpp>
#include <abax/gemv.hpp>
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

#include "inputs.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

/// How the matrices of an operand lie.
enum class lie {
  columns,          ///< each dense by columns, one after another
  rows,             ///< each dense by rows
  padded_columns,   ///< with gaps between columns and between items
  padded_rows,      ///< and by rows
  interleaved,      ///< items are neighbours
  interleaved_gap,  ///< with gaps between their lines
  strided,          ///< no stride is 1
  shared,           ///< one matrix, dense by columns
  repeated          ///< all rows of an item are the same elements; for operands that are only read
};
constexpr int lies = 8;  ///< that any operand may have

template <class T>
struct operand_of {
  index_t items, rows, cols;
  lie how;
  index_t offset;
  index_t item_stride = 0, row_stride = 1, col_stride = 1;
  std::vector<T> memory;

  operand_of(index_t items_, index_t rows_, index_t cols_, lie how_, index_t offset_, numbers kind, std::uint64_t seed)
      : items(items_), rows(rows_), cols(cols_), how(how_), offset(offset_ + 5) {
    const index_t r = std::max<index_t>(1, rows), c = std::max<index_t>(1, cols), b = std::max<index_t>(1, items);
    switch (how) {
      case lie::columns:
        col_stride = r, item_stride = r * c;
        break;
      case lie::rows:
        row_stride = c, item_stride = r * c;
        break;
      case lie::padded_columns:
        col_stride = r + 3, item_stride = (r + 3) * c + 2;
        break;
      case lie::padded_rows:
        row_stride = c + 1, item_stride = (c + 1) * r + 7;
        break;
      case lie::interleaved:
        item_stride = 1, row_stride = b, col_stride = b * r;
        break;
      case lie::interleaved_gap:
        item_stride = 1, col_stride = b + 3, row_stride = (b + 3) * c;
        break;
      case lie::strided:
        row_stride = 2, col_stride = 2 * r + 1, item_stride = (2 * r + 1) * c + 1;
        break;
      case lie::shared:
        col_stride = r;
        break;
      case lie::repeated:
        row_stride = 0, col_stride = r, item_stride = r * c;
        break;
    }
    memory.assign(offset + (b - 1) * item_stride + (r - 1) * row_stride + (c - 1) * col_stride + 1 + 9,
                  guard_value<T>());
    for (index_t i = 0; i < (how == lie::shared ? 1 : items); ++i)
      put(memory, i, random_matrix<T>(rows, cols, kind, seed + 2 * i));
  }
  index_t at(index_t item, index_t i, index_t j) const {
    return offset + item * item_stride + i * row_stride + j * col_stride;
  }
  void put(std::vector<T>& to, index_t item, const matrix<T>& values) const {
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) std::memcpy(&to[at(item, i, j)], &values(i, j), sizeof(T));
  }
  matrix<T> item(index_t b) const {
    matrix<T> m(rows, cols);
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) std::memcpy(&m(i, j), &memory[at(b, i, j)], sizeof(T));
    return m;
  }
};

/// The memory of an operand where `Exec` computes.
template <class T, class Exec>
struct placed {
  const operand_of<T>& host;
  Kokkos::View<T*, typename Exec::memory_space> memory;

  explicit placed(const operand_of<T>& given)
      : host(given), memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "operand"), given.memory.size()) {
    Kokkos::deep_copy(memory, Kokkos::View<const T*, Kokkos::HostSpace>(given.memory.data(), given.memory.size()));
  }
  template <class Value, int Rank>
  auto view() const {
    using traits = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    using space = typename Exec::memory_space;
    const operand_of<T>& o = host;
    T* const data = memory.data() + o.offset;
    if constexpr (Rank == 3)
      return Kokkos::View<Value***, Kokkos::LayoutStride, space, traits>(
          data, Kokkos::LayoutStride(o.items, o.item_stride, o.rows, o.row_stride, o.cols, o.col_stride));
    else
      return Kokkos::View<Value**, Kokkos::LayoutStride, space, traits>(
          data, Kokkos::LayoutStride(o.rows, o.row_stride, o.cols, o.col_stride));
  }
  std::string difference_from(const std::vector<T>& want) const {
    std::vector<T> got(want.size());
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(got.data(), got.size()), memory);
    return difference(got.data(), want.data(), static_cast<index_t>(want.size()),
                      [](index_t e) { return "element " + std::to_string(e) + " of the memory"; });
  }
};

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

TEMPLATE_TEST_CASE("gemv_batched has the bits of gemv item by item", "[batched][sanitizer]", float, double) {
  using T = TestType;
  random_bits random(23);
  for (int turn = 0; turn < 80; ++turn) {
    const index_t items = 1 + random.below(30), m = random.below(turn < 70 ? 50 : 700), k = random.below(50);
    const bool t = random.below(2) == 0, share_a = random.below(4) == 0, share_x = random.below(4) == 0;
    const lie how = lie(random.below(lies - 1));
    const T alpha = T(1.5), beta = random.below(2) == 0 ? T(0) : T(-0.75);
    const operand_of<T> a(items, t ? k : m, t ? m : k, share_a ? lie::shared : how, 3, numbers::unit, 2 * turn),
        x(items, k, 1, share_x ? lie::shared : how, 1, numbers::unit, 2 * turn + 1),
        y(items, m, 1, how, 2, beta == T(0) ? numbers::nan : numbers::unit, 2 * turn + 5);
    std::vector<T> want = y.memory;
    for (index_t i = 0; i < items; ++i)
      y.put(want, i,
            abax::reference::gemv(t ? 'T' : 'N', alpha, a.item(share_a ? 0 : i), x.item(share_x ? 0 : i), beta,
                                  y.item(i)));
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      const placed<T, Exec> A(a), X(x), Y(y);
      const auto y_view = Kokkos::subview(Y.template view<T, 3>(), Kokkos::ALL, Kokkos::ALL, 0);
      const auto with_x = [&](const auto& a_view) {
        if (share_x)
          abax::gemv_batched(exec, t ? "T" : "N", alpha, a_view,
                             Kokkos::subview(X.template view<const T, 2>(), Kokkos::ALL, 0), beta, y_view);
        else
          abax::gemv_batched(exec, t ? "T" : "N", alpha, a_view,
                             Kokkos::subview(X.template view<const T, 3>(), Kokkos::ALL, Kokkos::ALL, 0), beta, y_view);
      };
      if (share_a)
        with_x(A.template view<const T, 2>());
      else
        with_x(A.template view<const T, 3>());
      exec.fence();
      CAPTURE(Exec::name(), items, m, k, t, share_a, share_x, int(how), beta);
      REQUIRE(Y.difference_from(want) == "");
    });
  }
}

TEMPLATE_TEST_CASE("Batches given by pointers, of one shape and of several", "[batched][sanitizer]", float, double) {
  using T = TestType;
  random_bits random(24);
  for (int turn = 0; turn < 24; ++turn) {
    const bool by_rows = turn % 2 == 1, grouped = turn % 3 == 0, ta = turn % 4 == 1, tb = turn % 4 >= 2;
    const index_t items = 1 + random.below(60);
    const T alpha = T(1.5), beta = turn % 5 == 0 ? T(0) : T(-0.75);
    std::vector<abax::gemm_item<T>> given;
    std::vector<operand_of<T>> a, b, c;
    std::vector<std::vector<T>> want;
    index_t m = 0, n = 0, k = 0;
    for (index_t i = 0; i < items; ++i) {
      if (i == 0 || (grouped && random.below(2) == 0)) {
        m = random.below(turn < 20 ? 40 : 90), n = random.below(40), k = random.below(40);
      }
      const lie how = by_rows ? lie::padded_rows : lie::padded_columns;
      a.emplace_back(1, ta ? k : m, ta ? m : k, how, index_t(random.below(4)), numbers::unit, 2 * i);
      b.emplace_back(1, tb ? n : k, tb ? k : n, how, index_t(random.below(4)), numbers::unit, 2 * i + 1);
      c.emplace_back(1, m, n, how, index_t(random.below(4)), beta == T(0) ? numbers::nan : numbers::unit, 2 * i + 6);
      const auto ld = [&](const operand_of<T>& o) { return by_rows ? o.row_stride : o.col_stride; };
      given.push_back({nullptr, nullptr, nullptr, m, n, k, ld(a.back()), ld(b.back()), ld(c.back())});
      want.push_back(c.back().memory);
      c.back().put(want.back(), 0,
                   abax::reference::gemm(ta ? 'T' : 'N', tb ? 'T' : 'N', alpha, a.back().item(0), b.back().item(0),
                                         beta, c.back().item(0)));
    }
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      using space = typename Exec::memory_space;
      std::vector<placed<T, Exec>> A, B, C;
      Kokkos::View<std::uintptr_t*, space> pointers("pointers", 3 * items);
      const auto host = Kokkos::create_mirror_view(pointers);
      std::vector<abax::gemm_item<T>> items_there = given;
      for (index_t i = 0; i < items; ++i) {
        A.emplace_back(a[i]), B.emplace_back(b[i]), C.emplace_back(c[i]);
        items_there[i].a = A[i].memory.data() + a[i].offset;
        items_there[i].b = B[i].memory.data() + b[i].offset;
        items_there[i].c = C[i].memory.data() + c[i].offset;
        host(i) = reinterpret_cast<std::uintptr_t>(items_there[i].a);
        host(items + i) = reinterpret_cast<std::uintptr_t>(items_there[i].b);
        host(2 * items + i) = reinterpret_cast<std::uintptr_t>(items_there[i].c);
      }
      Kokkos::deep_copy(pointers, host);
      const auto order = by_rows ? abax::storage::by_rows : abax::storage::by_columns;
      const char *trans_a = ta ? "T" : "N", *trans_b = tb ? "T" : "N";
      if (grouped) {
        abax::gemm_batched(exec, trans_a, trans_b, alpha, items_there.data(), beta, items, order);
      } else {
        const auto& one = given[0];
        T** const at = reinterpret_cast<T**>(pointers.data());
        abax::gemm_batched(exec, trans_a, trans_b, {one.m, one.n, one.k, one.lda, one.ldb, one.ldc}, alpha, at,
                           at + items, beta, at + 2 * items, items, order);
      }
      exec.fence();
      CAPTURE(Exec::name(), turn, items, m, n, k);
      for (index_t i = 0; i < items; ++i) REQUIRE(C[i].difference_from(want[i]) == "");
    });
  }
}

TEST_CASE("Batches accept Views of any layout, and agree with gemm of each item", "[batched]") {
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    using space = typename Exec::memory_space;
    Kokkos::View<double***, Kokkos::LayoutRight, space> A("A", 11, 8, 6), C("C", 11, 8, 7), one("one", 11, 8, 7);
    Kokkos::View<double***, Kokkos::LayoutLeft, space> B("B", 11, 6, 7);
    const auto fill = [](const auto& view) {
      const auto host = Kokkos::create_mirror_view(view);
      random_bits random(view.size());
      for (std::size_t e = 0; e < host.size(); ++e) host.data()[e] = random.unit<double>();
      Kokkos::deep_copy(view, host);
    };
    fill(A), fill(B);
    Kokkos::View<const double***, Kokkos::LayoutRight, space> constant = A;
    abax::gemm_batched(exec, "N", "N", 1.0, constant, B, 0.0, C);
    abax::gemm_batched("N", "N", 1.0, A, B, 0.0, C);
    for (int i = 0; i < 11; ++i)
      abax::gemm(exec, "N", "N", 1.0, Kokkos::subview(A, i, Kokkos::ALL, Kokkos::ALL),
                 Kokkos::subview(B, i, Kokkos::ALL, Kokkos::ALL), 0.0,
                 Kokkos::subview(one, i, Kokkos::ALL, Kokkos::ALL));
    exec.fence();
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
    const auto want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), one);
    REQUIRE(std::memcmp(got.data(), want.data(), sizeof(double) * got.size()) == 0);
  });
}

TEST_CASE("Arrays of pointers that need not be read are not", "[batched]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  std::vector<double> memory(4 * 6, 3.0);
  double* const c[] = {memory.data(), memory.data() + 6, memory.data() + 12, memory.data() + 18};
  const auto* const nowhere = reinterpret_cast<const double* const*>(std::uintptr_t(64));
  abax::gemm_batched(exec, "N", "N", {2, 3, 5, 2, 5, 2}, 0.0, nowhere, nowhere, 2.0, c, 4);
  for (const double value : memory) REQUIRE(value == 6.0);
  abax::gemm_batched(exec, "N", "N", {2, 3, 0, 2, 1, 2}, 1.0, nowhere, nowhere, 0.5, c, 4);
  for (const double value : memory) REQUIRE(value == 3.0);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_CASE("A batch's items side by side where parallel regions nest", "[batched]") {
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  const index_t items = 16, n = 90;
  std::vector<float> a(items * n * n, 1.0F), c(items * n * n, -1.0F);
  using Views = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  abax::gemm_batched(Kokkos::OpenMP(), "N", "N", 1.0F, Views(a.data(), items, n, n), Views(a.data(), items, n, n), 0.0F,
                     Views(c.data(), items, n, n));
  omp_set_max_active_levels(levels);
  for (const float value : c) REQUIRE(value == float(n));
}

TEST_CASE("A batch is one launch to tools, which may have every instance fenced", "[batched]") {
  static std::vector<std::string> seen;
  using namespace Kokkos::Tools::Experimental;
  using Views = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const index_t n = 90;
  for (const index_t items : {1, 3, 16, 64}) {
    seen.clear();
    std::vector<float> a(items * n * n, 1.0F), c(items * n * n, -1.0F);
    const Views A(a.data(), items, n, n), C(c.data(), items, n, n);
    const auto before = get_callbacks();
    set_begin_parallel_for_callback([](const char* label, std::uint32_t, std::uint64_t*) { seen.emplace_back(label); });
    abax::gemm_batched(Kokkos::OpenMP(), "N", "N", 1.0F, A, A, 0.0F, C);
    set_callbacks(before);
    CHECK(seen == std::vector<std::string>{"abax::gemm_batched"});
    for (const float value : c) REQUIRE(value == float(n));
  }
}
#endif

TEST_CASE("Batches that cannot be computed are refused, and nothing is written", "[batched][errors]") {
  using Catch::Matchers::ContainsSubstring;
  using Views = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Kokkos::View<float*, Kokkos::HostSpace> memory("memory", 5000);
  Views A(memory.data(), 5, 4, 3), B(memory.data() + 1000, 5, 3, 6), C(memory.data() + 2000, 5, 4, 6);
  Kokkos::deep_copy(memory, 3.0F);
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto refused = [&](const auto& call, const std::vector<std::string>& words) {
    std::string message;
    try {
      call();
    } catch (const abax::invalid_argument& error) {
      message = error.what();
    }
    for (const std::string& word : words) CHECK_THAT(message, ContainsSubstring(word));
    for (int e = 0; e < 5000; ++e) REQUIRE(memory(e) == 3.0F);
  };
  const auto gemm = [&](const char* ta, const auto& a, const auto& b, const auto& c) {
    return [=] { abax::gemm_batched(exec, ta, "N", 1.0F, a, b, 0.0F, c); };
  };
  refused(gemm("X", A, B, C), {"abax::gemm_batched", "transA", "'X'"});
  refused(gemm("T", A, B, C), {"op(A)", "3", "4", "C"});
  refused(gemm("N", Views(memory.data(), 4, 4, 3), B, C), {"extent 0 of A is 4", "extent 0 of C is 5"});
  refused(gemm("N", A, Views(memory.data() + 1000, 5, 2, 6), C), {"op(A) is 3", "op(B) is 2"});
  refused(gemm("N", A, Views(memory.data() + 1000, 5, 3, 5), C), {"op(B) is 5", "C is 6"});
  refused(gemm("N", A, B, Views(memory.data() + 36, 5, 4, 6)), {"output C", "shares memory", "input A"});
  refused(gemm("N", A, B, Views(memory.data() + 1089, 5, 4, 6)), {"output C", "shares memory", "input B"});
  refused(gemm("N", A, B, Views(nullptr, 5, 4, 6)), {"C (4 x 6) is null"});
  using Strided = Kokkos::View<float***, Kokkos::LayoutStride, Kokkos::HostSpace>;
  refused(gemm("N", A, B, Strided(memory.data() + 2000, Kokkos::LayoutStride(5, 0, 4, 6, 6, 1))),
          {"output C", "name an element twice"});
  refused(gemm("N", A, B, Strided(memory.data() + 2000, Kokkos::LayoutStride(5, 20, 4, 6, 6, 1))),
          {"output C (4 x 6)", "name an element twice"});
  // Of C's items of two rows the first's last is the third's first.
  refused(gemm("N", Strided(memory.data(), Kokkos::LayoutStride(3, 100, 2, 3, 3, 1)),
               Strided(memory.data() + 1000, Kokkos::LayoutStride(3, 100, 3, 1, 1, 1)),
               Strided(memory.data() + 2000, Kokkos::LayoutStride(3, 2, 2, 4, 1, 1))),
          {"output C (2 x 1)", "name an element twice"});
  // One item alone.
  refused(gemm("N", Views(memory.data(), 1, 4, 3), Views(memory.data() + 1000, 1, 3, 6),
               Views(memory.data() + 11, 1, 4, 6)),
          {"output C", "shares memory", "input A"});
  // A's third item lies in C's last.
  refused(gemm("N", Strided(memory.data(), Kokkos::LayoutStride(5, 1000, 4, 3, 3, 1)), B,
               Strided(memory.data() + 1900, Kokkos::LayoutStride(5, 24, 4, 6, 6, 1))),
          {"output C", "shares memory", "input A"});
  float* pointer = memory.data();
  refused(
      [&] {
        abax::gemm_batched(exec, "N", "N", {4, 5, 6, 3, 6, 4}, 1.0F, &pointer, &pointer, 0.0F, &pointer, 1);
      },
      {"leading dimension of A is 3", "4"});
  refused(
      [&] {
        abax::gemm_batched(exec, "N", "N", {4, -5, 6, 4, 6, 4}, 1.0F, &pointer, &pointer, 0.0F, &pointer, 1);
      },
      {"n is -5"});
  const abax::gemm_item<float> items[] = {{pointer, pointer, pointer, 2, 2, 2, 2, 2, 2},
                                          {pointer, nullptr, pointer, 2, 2, 2, 2, 2, 2}};
  refused([&] { abax::gemm_batched(exec, "N", "N", 1.0F, items, 0.0F, 2); }, {"B of item 1", "null"});
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
