// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of the OpenMP backend, function by function, for every instruction set this CPU runs. Operands lie
// between pages that are not there, so a loop that looks too far crashes at the spot.
#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <initializer_list>
#include <limits>

#include "inputs.hpp"
#include "pages.hpp"
#include "spaces.hpp"

using namespace abax::tests;
namespace reference = abax::reference;

#ifdef KOKKOS_ENABLE_OPENMP
namespace {

template <class T>
using kernel_set = abax::openmp::kernel_set<T>;

template <class T, class Check>
void for_each_set(const kernel_set<T>* const* sets, const Check& check) {
  for (; *sets != nullptr; ++sets) {
    check(**sets);
  }
}

/// Scratch, aligned as the loops expect theirs.
template <class T>
class scratch {
 public:
  explicit scratch(index_t count) : memory_("scratch", count + 64) { Kokkos::deep_copy(memory_, guard_value<T>()); }
  T* data() const { return memory_.data(); }
  T& operator[](index_t i) const { return memory_(i); }
  std::vector<T> values(index_t count) const { return std::vector<T>(memory_.data(), memory_.data() + count); }
  bool guarded(index_t count) const {
    for (index_t i = count; i < count + 64; ++i)
      if (bits_of(memory_(i)) != bits_of(guard_value<T>())) return false;
    return true;
  }

 private:
  Kokkos::View<T*, Kokkos::HostSpace> memory_;
};

template <class T>
std::string difference(const std::vector<T>& got, const std::vector<T>& want) {
  return abax::tests::difference(got.data(), want.data(), static_cast<index_t>(want.size()),
                                 [](index_t i) { return "number " + std::to_string(i); });
}

/// `outer` x `depth` operand elements a(o, p) = data[o stride_outer + p stride_depth], between pages.
template <class T>
struct strided {
  index_t stride_outer, stride_depth, first;
  paged<T> memory;

  strided(index_t outer, index_t depth, index_t so, index_t sd, numbers kind, page_edge edge, std::uint64_t seed = 2)
      : stride_outer(so),
        stride_depth(sd),
        first(-std::min<index_t>(0, (outer - 1) * so) - std::min<index_t>(0, (depth - 1) * sd)),
        memory(random_vector<T>(1 + (outer - 1) * std::abs(so) + (depth - 1) * std::abs(sd), kind, seed).elements,
               edge) {}
  T* data() const { return memory.data() + first; }
  /// The values again that it was built with: mapping pages costs more than filling them.
  void restore(numbers kind, std::uint64_t seed = 2) const {
    const index_t count = static_cast<index_t>(memory.values().size());
    std::memcpy(memory.data(), random_vector<T>(count, kind, seed).elements.data(), sizeof(T) * count);
  }
  T& operator()(index_t o, index_t p) const { return data()[o * stride_outer + p * stride_depth]; }
};

/// The first m outer indices and n terms.
template <class T>
matrix<T> values(const strided<T>& s, index_t m, index_t n) {
  matrix<T> result(m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) std::memcpy(&result(i, j), &s(i, j), sizeof(T));
  return result;
}

struct strides {
  index_t outer, depth;
};
using lengths = std::initializer_list<index_t>;  // written out: nvcc loses a braced list in a generic lambda
using all_strides = std::initializer_list<strides>;
// Contiguous along one index or the other, along neither, backwards, and standing still.
std::vector<strides> strides_for(index_t outer, index_t depth) {
  return {{1, outer},  {1, outer + 3}, {depth, 1}, {depth + 5, 1}, {2, 2 * outer + 1},
          {-1, outer}, {depth, -1},    {0, 1},     {1, 0}};
}

template <class T>
index_t place(const kernel_set<T>& set, index_t i, index_t j, index_t row_panels) {
  const index_t tile = j / set.cols * row_panels + i / set.rows;
  return (tile * set.cols + j % set.cols) * set.rows + i % set.rows;
}

}  // namespace

TEMPLATE_TEST_CASE("pack lays out panels and fills up with +0", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t width : lengths{set.rows, set.cols})
      for (const index_t outer : lengths{1, 2, 3, width - 1, width, width + 1, 2 * width + 3, 67})
        for (const index_t depth : {1, 2, 3, 7, 8, 16, 17, 33})
          for (const strides& s : strides_for(outer, depth)) {
            const page_edge edge = (outer + depth) % 2 ? page_edge::after : page_edge::before;
            const strided<T> source(outer, depth, s.outer, s.depth, numbers::special, edge);
            const index_t panels = (outer + width - 1) / width, count = panels * width * depth;
            const scratch<T> packed(count);
            set.pack(outer, depth, source.data(), s.outer, s.depth, static_cast<int>(width), packed.data());
            std::vector<T> want(count);
            for (index_t o = 0; o < panels * width; ++o)
              for (index_t p = 0; p < depth; ++p)
                want[(o / width * depth + p) * width + o % width] = o < outer ? source(o, p) : T(0);
            CAPTURE(set.name, width, outer, depth, s.outer, s.depth);
            REQUIRE(difference(packed.values(count), want) == "");
            REQUIRE(packed.guarded(count));
          }
  });
}

namespace {

/// Packed operands of an m x n product of `depth` terms, as `pack` leaves them.
template <class T>
struct packed_operands {
  scratch<T> a, b;

  packed_operands(const kernel_set<T>& set, const matrix<T>& from_a, const matrix<T>& from_b)
      : a(whole(from_a.rows, set.rows) * from_a.cols), b(whole(from_b.cols, set.cols) * from_a.cols) {
    const index_t depth = from_a.cols;
    const auto fill = [depth](const scratch<T>& to, index_t outer, index_t width, const auto& from) {
      for (index_t o = 0; o < whole(outer, width); ++o)
        for (index_t p = 0; p < depth; ++p)
          to[(o / width * depth + p) * width + o % width] = o < outer ? from(o, p) : T(0);
    };
    fill(a, from_a.rows, set.rows, [&](index_t i, index_t p) { return from_a(i, p); });
    fill(b, from_b.cols, set.cols, [&](index_t j, index_t p) { return from_b(p, j); });
  }
  static index_t whole(index_t outer, index_t width) { return (outer + width - 1) / width * width; }
};

/// The right operand of a product as an operand's own columns, between pages; only for whole register tiles.
template <class T>
struct own_columns {
  strided<T> b;
  bool usable;

  own_columns(const kernel_set<T>& set, const matrix<T>& from, page_edge edge)
      : b(from.cols, from.rows, from.rows + 3, 1, numbers::unit, edge), usable(from.cols % set.cols == 0) {
    for (index_t j = 0; j < from.cols; ++j)
      for (index_t p = 0; p < from.rows; ++p) b(j, p) = from(p, j);
  }
};

/// sums(i, j) <- chain over p ascending of a(i, p) b(p, j), going on from what is there.
template <class T>
void add_chains(const matrix<T>& a, const matrix<T>& b, matrix<T>& sums) {
  for (index_t j = 0; j < sums.cols; ++j)
    for (index_t i = 0; i < sums.rows; ++i)
      for (index_t p = 0; p < a.cols; ++p) sums(i, j) = std::fma(a(i, p), b(p, j), sums(i, j));
}

/// b's panels, or its own columns if there are any.
template <class T>
abax::openmp::panel_product<T> product_of(index_t m, index_t n, index_t depth, const packed_operands<T>& panels,
                                          const own_columns<T>* own, const abax::openmp::band& wanted = {}) {
  const abax::openmp::upcoming next{nullptr, 8, 3, 5};  // a hint, and not a useful one
  const T* const a = panels.a.data();
  if (own == nullptr) return {m, n, depth, a, panels.b.data(), abax::openmp::packed, next, next, wanted};
  return {m, n, depth, a, own->b.data(), own->b.stride_outer, next, next, wanted};
}

/// Bands of an m x n block: all of it, its triangles, what lies beyond it, and a narrow one.
abax::openmp::band band_of(int turn, index_t m, index_t n) {
  const abax::openmp::band all;
  const abax::openmp::band bands[] = {all,        {0, all.high}, {all.low, 0}, {m - n, all.high}, {all.low, m - n},
                                      {m, m + 3}, {all.low, -n}, {-1, 2}};
  return bands[turn % 8];
}
bool holds(const abax::openmp::band& wanted, index_t i, index_t j) {
  return wanted.low <= i - j && i - j <= wanted.high;
}

/// The rows of a register tile where vectors begin and end, and of one panel more.
template <class T>
std::vector<index_t> heights(const kernel_set<T>& set) {
  std::vector<index_t> all;
  for (index_t v = set.lanes; v <= set.rows; v += set.lanes) all.insert(all.end(), {v - 1, v, v + 1});
  all.push_back(set.rows + set.lanes + 1);
  all.push_back(3 * set.rows);
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("multiply_add runs one ascending chain per output", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    int turn = 0;
    for (const index_t m : heights(set))
      for (const index_t n : lengths{1, set.cols, 2 * set.cols - 1, 5 * set.cols})
        for (const index_t depth : {1, 2, 3, 4, 5, 8, 17, 100})
          for (const numbers kind : {numbers::unit, numbers::wide, numbers::vanishing})
            for (const bool clear : {true, false}) {
              const matrix<T> a = random_matrix<T>(m, depth, kind, 2), b = random_matrix<T>(depth, n, kind, 3),
                              old = random_matrix<T>(m, n, numbers::unit, 4);
              const packed_operands<T> packed(set, a, b);
              const index_t row_panels = (m + set.rows - 1) / set.rows,
                            count = row_panels * set.rows * packed.whole(n, set.cols);
              const scratch<T> part(count);
              matrix<T> want = clear ? matrix<T>(m, n) : old, got(m, n);
              add_chains(a, b, want);
              const own_columns<T> own(set, b, depth % 2 ? page_edge::after : page_edge::before);
              for (const bool in_place : {false, true}) {
                if (in_place && !own.usable) continue;
                if (!clear)
                  for (index_t j = 0; j < n; ++j)
                    for (index_t i = 0; i < m; ++i) part[place(set, i, j, row_panels)] = old(i, j);
                const abax::openmp::band wanted = band_of(turn++, m, n);
                set.multiply_add(product_of(m, n, depth, packed, in_place ? &own : nullptr, wanted), part.data(),
                                 clear);
                for (index_t j = 0; j < n; ++j)
                  for (index_t i = 0; i < m; ++i)
                    got(i, j) = holds(wanted, i, j) ? part[place(set, i, j, row_panels)] : want(i, j);
                CAPTURE(set.name, m, n, depth, name_of(kind), clear, in_place, wanted.low, wanted.high);
                REQUIRE(abax::tests::difference(got, want) == "");
                REQUIRE(part.guarded(count));
              }
            }
  });
}

namespace {

/// What a block_end is called with: what c holds then, and how often for each element.
template <class T>
struct ended_blocks {
  const strided<T>& c;
  matrix<T> seen;
  std::vector<int> times;

  abax::openmp::block_end end() { return {run, this}; }
  static void run(const void* of, index_t i, index_t j, index_t rows, index_t cols) {
    auto& self = *static_cast<ended_blocks*>(const_cast<void*>(of));
    for (index_t y = j; y < j + cols; ++y)
      for (index_t x = i; x < i + rows; ++x) {
        self.seen(x, y) = self.c(x, y);
        ++self.times[x + y * self.seen.rows];
      }
  }
};

}  // namespace

TEMPLATE_TEST_CASE("multiply_add_store ends the chains, adds the total and applies the epilogue", "[kernels][bits]",
                   float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    int turn = 0;
    for (const index_t m : heights(set))
      for (const index_t n : lengths{1, set.cols - 1, set.cols, 2 * set.cols, 2 * set.cols + 1})
        for (const index_t depth : {1, 2, 5, 40})
          for (const numbers kind : {numbers::unit, numbers::special, numbers::vanishing})
            for (const int sums : {0, 1, 2, 3}) {  // from +0 or a part, without or with a total
              const bool from_part = sums % 2, with_total = sums / 2;
              const T alpha = turn % 3 == 0 ? T(1) : T(-1.7), beta = turn % 4 == 0   ? T(0.3)
                                                                     : turn % 4 == 1 ? T(1)
                                                                                     : T(0);
              const strides s = all_strides{strides{1, m}, strides{1, m + 3}, strides{n + 2, 1}}.begin()[turn % 3];
              const bool in_place = n % set.cols == 0 && turn / 3 % 2;
              const abax::openmp::band wanted = band_of(turn / 2, m, n);
              ++turn;
              const matrix<T> a = random_matrix<T>(m, depth, kind, 2), b = random_matrix<T>(depth, n, kind, 3),
                              old = random_matrix<T>(m, n, kind, 4), before = random_matrix<T>(m, n, kind, 5);
              const packed_operands<T> packed(set, a, b);
              const index_t row_panels = (m + set.rows - 1) / set.rows,
                            count = row_panels * set.rows * packed.whole(n, set.cols);
              const scratch<T> part(count), total(count);
              const strided<T> c(m, n, s.outer, s.depth, beta == T(0) ? numbers::nan : numbers::special,
                                 turn % 2 ? page_edge::after : page_edge::before);
              matrix<T> want = from_part ? old : matrix<T>(m, n), got(m, n);
              add_chains(a, b, want);
              for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < m; ++i) {
                  part[place(set, i, j, row_panels)] = old(i, j);
                  total[place(set, i, j, row_panels)] = before(i, j);
                  const T sum = with_total ? before(i, j) + want(i, j) : want(i, j);
                  want(i, j) = holds(wanted, i, j) ? reference::epilogue(alpha, sum, beta, c(i, j)) : c(i, j);
                }
              const own_columns<T> own(set, b, turn % 2 ? page_edge::after : page_edge::before);
              const bool whole = wanted.covers(m, n);
              ended_blocks<T> ended{c, matrix<T>(m, n), std::vector<int>(m * n)};
              set.multiply_add_store(
                  product_of(m, n, depth, packed, in_place ? &own : nullptr, wanted), from_part ? part.data() : nullptr,
                  with_total ? total.data() : nullptr,
                  {alpha, beta, c.data(), s.outer, s.depth, whole ? ended.end() : abax::openmp::block_end{}});
              for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < m; ++i) got(i, j) = c(i, j);
              CAPTURE(set.name, m, n, depth, name_of(kind), from_part, with_total, in_place, alpha, beta, s.outer,
                      s.depth, wanted.low, wanted.high);
              REQUIRE(abax::tests::difference(got, want) == "");
              if (!whole) continue;
              REQUIRE(abax::tests::difference(ended.seen, want) == "");
              REQUIRE(std::all_of(ended.times.begin(), ended.times.end(), [](int times) { return times == 1; }));
            }
  });
}

namespace {

/// One product by set.multiply_store; how the operands lie, alpha and beta follow from `turn`.
template <class T>
void check_multiply_store(const kernel_set<T>& set, index_t m, index_t n, index_t k, numbers kind, bool a_along_k,
                          bool b_along_k, int turn, bool past_caches = false) {
  const T alpha = turn % 3 == 0 ? T(1) : T(-1.7);
  const T beta = past_caches ? T(0) : turn % 4 == 0 ? T(0.3) : T(turn % 4 == 1);
  const page_edge edge = turn % 2 ? page_edge::before : page_edge::after;
  const index_t line = (a_along_k ? k : m) + (turn + 1) % 3;
  const strided<T> a(m, k, a_along_k ? line : 1, a_along_k ? 1 : line, kind, edge),
      b(n, k, b_along_k ? k + 1 : 1, b_along_k ? 1 : n, kind, edge, 3),
      c(m, n, 1, m + (turn + 1) % 2, beta == T(0) ? numbers::nan : numbers::special, edge, 4);
  const index_t room = set.rows * abax::openmp::packed_terms(k);
  const scratch<T> panels(room);
  matrix<T> want(m, n), got(m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      T sum = T(0);
      for (index_t p = 0; p < k; ++p) sum = std::fma(a(i, p), b(j, p), sum);
      want(i, j) = reference::epilogue(alpha, sum, beta, c(i, j));
    }
  set.multiply_store({m, n, k, a.data(), line, b.data(), b.stride_depth, b.stride_outer, alpha, beta, c.data(),
                      c.stride_depth, a_along_k ? panels.data() : nullptr, past_caches});
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) got(i, j) = c(i, j);
  CAPTURE(set.name, m, n, k, name_of(kind), a_along_k, b_along_k, alpha, beta, past_caches);
  REQUIRE(abax::tests::difference(got, want) == "");
  REQUIRE(panels.guarded(room));
}

}  // namespace

TEMPLATE_TEST_CASE("multiply_store reads operands where they lie", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    int turn = 0;
    for (const index_t m : heights(set))
      for (const index_t n : lengths{1, 2, 3, set.cols - 1, set.cols, 13, 16, 2 * set.cols + 5})
        for (const index_t k : {1, 2, 7, 40})
          for (const numbers kind : {numbers::unit, numbers::special, numbers::vanishing})
            for (const bool b_along_k : {true, false})
              for (const bool a_along_k : {true, false})
                check_multiply_store<T>(set, m, n, k, kind, a_along_k, b_along_k, turn++);
  });
}

TEMPLATE_TEST_CASE("multiply_store writes past the caches what is not read", "[kernels][bits]", float, double) {
  using T = TestType;
  constexpr index_t line = 64 / sizeof(T);
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    int turn = 0;
    for (const index_t m : lengths{1, line - 1, line, line + 1, 3 * line - 1, 8 * set.lanes, 8 * set.lanes + line + 3,
                                   17 * set.lanes + 2 * line - 1})
      for (const index_t n : {1, 3, 8})
        for (const index_t k : {1, 2, 7, 16})
          for (const bool b_along_k : {true, false})
            for (const numbers kind : {numbers::unit, numbers::special, numbers::vanishing})
              check_multiply_store<T>(set, m, n, k, kind, false, b_along_k, turn++, true);
  });
}

TEMPLATE_TEST_CASE("multiply_store multiplies long rows by few columns", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    int turn = 0;
    for (const index_t m : lengths{1, 2, 3, set.lanes, 3 * set.lanes + 1, 5 * set.lanes - 1, 256, 257, 300})
      for (const index_t n : {2, 3, 4})
        for (const index_t k : {64, 65, 66, 67, 128, 301})
          for (const bool b_along_k : {true, false})
            for (const numbers kind : {numbers::unit, numbers::special, numbers::vanishing})
              check_multiply_store<T>(set, m, n, k, kind, true, b_along_k, turn++);
  });
}

TEMPLATE_TEST_CASE("fold adds in the order total + part", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t n : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100, 1000}) {
      const matrix<T> a = random_vector<T>(n, numbers::wide, 1), b = random_vector<T>(n, numbers::wide, 2);
      const scratch<T> part(n), total(n);
      std::vector<T> want(n);
      for (index_t i = 0; i < n; ++i) part[i] = a(i), total[i] = b(i), want[i] = b(i) + a(i);
      set.fold(n, part.data(), total.data());
      CAPTURE(set.name, n);
      REQUIRE(difference(total.values(n), want) == "");
      REQUIRE(total.guarded(n));
    }
  });
}

TEMPLATE_TEST_CASE("store and store_vector apply the canon's epilogue", "[kernels][bits]", float, double) {
  using T = TestType;
  const T inf = std::numeric_limits<T>::infinity();
  for_each_set(abax::openmp::runnable_kernels<T>(), [&](const auto& set) {
    int turn = 0;
    for (const index_t m : lengths{1, 3, set.rows - 1, set.rows, set.rows + 1, 2 * set.rows + 5})
      for (const index_t n : lengths{1, set.cols - 1, set.cols, 2 * set.cols + 1})
        for (const strides& s :
             all_strides{strides{1, m}, strides{1, m + 3}, strides{n, 1}, strides{2, 2 * m + 1}, strides{-1, m}}) {
          const strided<T> c(m, n, s.outer, s.depth, numbers::special, page_edge::after);
          for (const T alpha : {T(1), T(0), T(-1.7), inf})
            for (const T beta : {T(0), T(1), T(0.3)})
              for (const bool with_total : {true, false}) {
                c.restore(numbers::special);
                const matrix<T> sum = random_matrix<T>(m, n, numbers::special, 7);
                const index_t row_panels = (m + set.rows - 1) / set.rows, col_panels = (n + set.cols - 1) / set.cols;
                const scratch<T> total(row_panels * set.rows * col_panels * set.cols), column(m);
                const abax::openmp::band wanted = n == 1 ? abax::openmp::band{} : band_of(turn++, m, n);
                matrix<T> want(m, n), got(m, n);
                for (index_t j = 0; j < n; ++j)
                  for (index_t i = 0; i < m; ++i) {
                    total[place(set, i, j, row_panels)] = sum(i, j);
                    want(i, j) = !holds(wanted, i, j)          ? c(i, j)
                                 : with_total && alpha != T(0) ? reference::epilogue(alpha, sum(i, j), beta, c(i, j))
                                                               : reference::epilogue_without_terms(beta, c(i, j));
                  }
                if (n == 1) {
                  for (index_t i = 0; i < m; ++i) column[i] = sum(i, 0);
                  set.store_vector(m, with_total ? column.data() : nullptr, alpha, beta, c.data(), s.outer);
                } else {
                  set.store(m, n, with_total ? total.data() : nullptr, alpha, beta, c.data(), s.outer, s.depth, wanted);
                }
                for (index_t j = 0; j < n; ++j)
                  for (index_t i = 0; i < m; ++i) got(i, j) = c(i, j);
                CAPTURE(set.name, m, n, s.outer, s.depth, alpha, beta, with_total, wanted.low, wanted.high);
                REQUIRE(abax::tests::difference(got, want) == "");
              }
        }
  });
}

TEMPLATE_TEST_CASE("multiply_add_vector runs one ascending chain per output", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t outputs : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 47, 67})
      for (const index_t depth : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 100})
        for (const strides& s : strides_for(outputs, depth))
          for (const numbers kind : {numbers::unit, numbers::vanishing}) {
            const page_edge edge = outputs % 2 ? page_edge::after : page_edge::before;
            const strided<T> a(outputs, depth, s.outer, s.depth, kind, edge);
            const strided<T> x(depth, 1, 1, 1, kind, edge, 3);
            const matrix<T> old = kind == numbers::unit ? random_vector<T>(outputs, kind, 9) : matrix<T>(outputs, 1);
            const scratch<T> part(outputs);
            std::vector<T> want(outputs);
            for (index_t i = 0; i < outputs; ++i) {
              part[i] = want[i] = old(i);
              for (index_t p = 0; p < depth; ++p) want[i] = std::fma(a(i, p), x(p, 0), want[i]);
            }
            set.multiply_add_vector(outputs, depth, a.data(), s.outer, s.depth, x.data(), part.data());
            CAPTURE(set.name, outputs, depth, s.outer, s.depth);
            REQUIRE(difference(part.values(outputs), want) == "");
            REQUIRE(part.guarded(outputs));
          }
  });
}

TEMPLATE_TEST_CASE("One row's or one column's distance to the next may be any number", "[kernels][bits]", float,
                   double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t any : {std::numeric_limits<index_t>::min(), std::numeric_limits<index_t>::max()})
      for (const auto& [outputs, depth] : {std::pair<index_t, index_t>(1, 33), std::pair<index_t, index_t>(20, 1)}) {
        const strided<T> a(outputs * depth, 1, 1, 1, numbers::unit, page_edge::after);
        const strided<T> x(depth, 1, 1, 1, numbers::unit, page_edge::after, 3);
        const scratch<T> part(outputs);
        std::vector<T> want(outputs);
        for (index_t i = 0; i < outputs; ++i) {
          part[i] = want[i] = T(i);
          for (index_t p = 0; p < depth; ++p) want[i] = std::fma(a(i + p, 0), x(p, 0), want[i]);
        }
        set.multiply_add_vector(outputs, depth, a.data(), outputs == 1 ? any : 1, depth == 1 ? any : 1, x.data(),
                                part.data());
        CAPTURE(set.name, outputs, depth, any);
        REQUIRE(difference(part.values(outputs), want) == "");
        REQUIRE(part.guarded(outputs));
      }
  });
}

TEMPLATE_TEST_CASE("multiply_add_blocks runs one ascending chain per block", "[kernels][bits]", float, double) {
  using T = TestType;
  const index_t block = abax::tile::canon_block;
  for_each_set(abax::openmp::runnable_kernels<T>(), [&](const auto& set) {
    for (index_t outputs = 1; outputs <= abax::openmp::most_outputs_of_blocks; ++outputs)
      for (const index_t terms :
           {index_t(1), block, block + 1, 3 * block - 1, 4 * block, 7 * block + 5, 9 * block + 37})
        for (const index_t stride : {1, 3})
          for (const index_t stride_x : {1, -2}) {
            const numbers kind = stride == stride_x ? numbers::unit : numbers::vanishing;
            const strided<T> a(outputs, terms, stride * terms + 3, stride, kind, page_edge::after);
            const strided<T> x(terms, 1, stride_x, 1, kind, page_edge::before, 3);
            const index_t blocks = (terms + block - 1) / block;
            const scratch<T> sums(outputs * blocks);
            std::vector<T> want(outputs * blocks);
            for (index_t b = 0; b < outputs * blocks; ++b) sums[b] = want[b] = T(b) / 2;
            for (index_t i = 0; i < outputs; ++i)
              for (index_t p = 0; p < terms; ++p) {
                T& sum = want[i * blocks + p / block];
                sum = std::fma(a(i, p), x(p, 0), sum);
              }
            set.multiply_add_blocks(outputs, terms, a.data(), stride * terms + 3, stride, x.data(), stride_x,
                                    sums.data());
            CAPTURE(set.name, outputs, terms, stride, stride_x);
            REQUIRE(difference(sums.values(outputs * blocks), want) == "");
            REQUIRE(sums.guarded(outputs * blocks));
          }
  });
}

TEMPLATE_TEST_CASE("multiply_store_vector is a whole product by a vector", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    int turn = 0;
    for (const index_t outputs : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33, 67, 128, 150, 1030})
      for (const index_t depth : {1, 2, 5, 8, 17, 100})
        for (const strides& s : strides_for(outputs, depth))
          for (const index_t stride_y : {1, 1, 2, -1}) {
            const numbers kind = turn % 2 == 0 ? numbers::unit : numbers::special;
            const T alpha = turn % 3 == 0 ? T(1) : T(-1.7), beta = turn % 4 == 0 ? T(0.3) : T(turn % 4 == 1);
            const page_edge edge = ++turn % 2 ? page_edge::after : page_edge::before;
            const index_t stride_x = turn % 5 == 0 ? -2 : 1;
            const strided<T> a(outputs, depth, s.outer, s.depth, kind, edge), x(depth, 1, stride_x, 1, kind, edge, 3),
                y(outputs, 1, stride_y, 1, beta == T(0) ? numbers::nan : kind, edge, 4);
            matrix<T> want(outputs, 1), got(outputs, 1);
            for (index_t i = 0; i < outputs; ++i) {
              T sum = T(0);
              for (index_t p = 0; p < depth; ++p) sum = std::fma(a(i, p), x(p, 0), sum);
              want(i) = reference::epilogue(alpha, sum, beta, y(i, 0));
            }
            set.multiply_store_vector(
                {outputs, depth, a.data(), s.outer, s.depth, x.data(), stride_x, alpha, beta, y.data(), stride_y});
            for (index_t i = 0; i < outputs; ++i) got(i) = y(i, 0);
            CAPTURE(set.name, outputs, depth, s.outer, s.depth, stride_x, stride_y, alpha, beta);
            REQUIRE(abax::tests::difference(got, want) == "");
          }
  });
}

TEMPLATE_TEST_CASE("Reductions leave the canon's sums of each block", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t n : {1,  2,  3,   4,   5,   7,   8,    9,    15,   16,   17,   31,   33,  63,
                            64, 65, 100, 127, 129, 960, 1000, 1023, 1024, 1025, 1090, 2048, 2100})
      for (const auto& [sx, sy] :
           all_strides{strides{1, 1}, strides{2, 1}, strides{1, 3}, strides{-1, 1}, strides{0, 1}})
        for (const numbers kind : {numbers::unit, numbers::vanishing, numbers::special}) {
          const strided<T> x(n, 1, sx, 1, kind, page_edge::after), y(n, 1, sy, 1, kind, page_edge::before, 3);
          matrix<T> a(n, 1), b(n, 1);
          for (index_t i = 0; i < n; ++i) a(i) = x(i, 0), b(i) = y(i, 0);
          CAPTURE(set.name, n, sx, sy, name_of(kind));
          const index_t blocks = (n + 1023) / 1024;
          const auto agree = [&](auto loop, index_t sums, const auto& want) {
            const scratch<T> got(blocks * sums);
            loop(n, x.data(), sx, y.data(), sy, got.data());
            matrix<T> values(blocks * sums, 1), wanted(blocks * sums, 1);
            for (index_t i = 0; i < blocks * sums; ++i)
              values(i) = abax::reference::one_nan(got.values(blocks * sums)[i]),
              wanted(i) = abax::reference::one_nan(want(i / sums, i % sums));
            REQUIRE(abax::tests::difference(values, wanted) == "");
            REQUIRE(got.guarded(blocks * sums));
          };
          const auto sums_of = [&](const auto& take) {
            return abax::reference::reduced_blocks(n, T(0), take, [](T s, T t) { return s + t; });
          };
          const auto dot = sums_of([&](T s, index_t i) { return std::fma(a(i), b(i), s); });
          const auto sum = sums_of([&](T s, index_t i) { return s + a(i); });
          const auto asum = sums_of([&](T s, index_t i) { return s + std::fabs(a(i)); });
          std::vector<T> squares[3];
          for (int j = 0; j < 3; ++j)
            squares[j] = sums_of([&](T s, index_t i) {
              const T v = a(i) * std::ldexp(T(1), (sizeof(T) == 4 ? 90 : 600) * (j == 2 ? -1 : j));
              return std::fma(v, v, s);
            });
          agree(set.dot, 1, [&](index_t block, index_t) { return dot.at(block); });
          agree(set.sum, 1, [&](index_t block, index_t) { return sum.at(block); });
          agree(set.asum, 1, [&](index_t block, index_t) { return asum.at(block); });
          agree(set.nrm2, 3, [&](index_t block, index_t j) { return squares[j].at(block); });
          REQUIRE(set.iamax(n, x.data(), sx) == abax::reference::iamax(a));
        }
  });
}

TEMPLATE_TEST_CASE("copy, combine and increment treat every element alike", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t m : {1, 3, 8, 17, 35, 300})
      for (const index_t n : {1, 2, 4, 9, 16, 33, 290})
        for (const strides& from : strides_for(m, n))
          for (const strides& to :
               all_strides{strides{1, m}, strides{n, 1}, strides{n + 1, 1}, strides{2, 2 * m}, strides{-1, m}}) {
            const strided<T> source(m, n, from.outer, from.depth, numbers::special, page_edge::after);
            const strided<T> target(m, n, to.outer, to.depth, numbers::unit, page_edge::after);
            set.copy(m, n, source.data(), from.outer, from.depth, target.data(), to.outer, to.depth);
            matrix<T> got(m, n), want(m, n);
            for (index_t j = 0; j < n; ++j)
              for (index_t i = 0; i < m; ++i) got(i, j) = target(i, j), want(i, j) = source(i, j);
            CAPTURE(set.name, m, n, from.outer, from.depth, to.outer, to.depth);
            REQUIRE(abax::tests::difference(got, want) == "");
          }
    for (const index_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100})
      for (const index_t stride : {1, 2, -1})
        for (const T alpha : {T(0), T(1), T(-1.7)})
          for (const T beta : {T(0), T(1), T(0.3)}) {
            const strided<T> x(n, 1, stride, 1, numbers::special, page_edge::after),
                y(n, 1, stride, 1, numbers::special, page_edge::before, 3),
                z(n, 1, 1, 1, numbers::unit, page_edge::after);
            matrix<T> a(n, 1), b(n, 1), got(n, 1), more(n, 1);
            for (index_t i = 0; i < n; ++i) a(i) = x(i, 0), b(i) = y(i, 0);
            set.combine(n, alpha, x.data(), stride, beta, y.data(), stride, z.data(), 1);
            set.increment(n, T(0.7), x.data(), stride);
            for (index_t i = 0; i < n; ++i) got(i) = z(i, 0), more(i) = x(i, 0);
            CAPTURE(set.name, n, stride, alpha, beta);
            REQUIRE(abax::tests::difference(got, reference::axpby(alpha, a, beta, b)) == "");
            REQUIRE(abax::tests::difference(more, reference::increment(T(0.7), a)) == "");
          }
  });
}

TEMPLATE_TEST_CASE("exchange and transpose_square give every element its partner's place", "[kernels][bits]", float,
                   double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t m : {1, 3, 8, 16, 17, 35})
      for (const index_t n : {1, 4, 9, 16, 33})
        for (const page_edge edge : {page_edge::after, page_edge::before})
          for (const auto& [row_a, col_a, row_b, col_b] : {std::array<index_t, 4>{1, m, n, 1},
                                                           {1, m + 3, n + 1, 1},
                                                           {n, 1, 1, m},
                                                           {n + 2, 1, 1, m + 1},
                                                           {1, m, 1, m},
                                                           {2, 2 * m, n, 1},
                                                           {-1, m, n, 1},
                                                           {n, 1, n, -1}}) {
            const strided<T> a(m, n, row_a, col_a, numbers::special, edge, 2),
                b(m, n, row_b, col_b, numbers::special, edge, 3);
            const matrix<T> before_a = values(a, m, n), before_b = values(b, m, n);
            set.exchange(m, n, a.data(), row_a, col_a, b.data(), row_b, col_b);
            CAPTURE(set.name, m, n, row_a, col_a, row_b, col_b, edge == page_edge::after);
            REQUIRE(abax::tests::difference(values(a, m, n), before_b) == "");
            REQUIRE(abax::tests::difference(values(b, m, n), before_a) == "");
          }
    for (const index_t n : {1, 2, 4, 7, 8, 9, 15, 16, 17, 33, 50})
      for (const page_edge edge : {page_edge::after, page_edge::before})
        for (const strides& s :
             all_strides{strides{1, n}, strides{1, n + 3}, strides{n + 1, 1}, strides{2, 2 * n}, strides{-1, n}}) {
          const strided<T> a(n, n, s.outer, s.depth, numbers::special, edge);
          const matrix<T> before = values(a, n, n);
          set.transpose_square(n, a.data(), s.outer, s.depth);
          CAPTURE(set.name, n, s.outer, s.depth, edge == page_edge::after);
          REQUIRE(abax::tests::difference(values(a, n, n), reference::transpose(before)) == "");
        }
  });
}

TEMPLATE_TEST_CASE("combine_columns has the canon's bits and keeps to its columns", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const index_t m : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33})
      for (const index_t n : {1, 2, 7, 8, 9, 17})
        for (const page_edge edge : {page_edge::after, page_edge::before}) {
          const strided<T> x(m, n, 1, m + 5, numbers::special, edge), y(m, n, 1, m, numbers::special, edge, 3);
          const strided<T> z(m, n, 1, m + 1, numbers::unit, edge, 4);
          const matrix<T> a = values(x, m, n), b = values(y, m, n);
          for (const T alpha : {T(0), T(1), T(-1.7)})
            for (const T beta : {T(0), T(1), T(0.3)}) {
              CAPTURE(set.name, m, n, edge == page_edge::after, alpha, beta);
              z.restore(numbers::unit, 4);
              const std::vector<T> before = z.memory.values();
              set.combine_columns(m, n, alpha, x.data(), m + 5, beta, y.data(), m, z.data(), m + 1);
              REQUIRE(abax::tests::difference(values(z, m, n), reference::axpby(alpha, a, beta, b)) == "");
              for (index_t j = 0; j + 1 < n; ++j) REQUIRE(z.data()[m + j * (m + 1)] == before[m + j * (m + 1)]);
              const matrix<T> old = values(z, m, n);  // and in place
              set.combine_columns(m, n, alpha, x.data(), m + 5, beta, z.data(), m + 1, z.data(), m + 1);
              REQUIRE(abax::tests::difference(values(z, m, n), reference::axpby(alpha, a, beta, old)) == "");
              const matrix<T> again = values(z, m, n);
              set.combine_columns(m, n, alpha, z.data(), m + 1, beta, y.data(), m, z.data(), m + 1);
              REQUIRE(abax::tests::difference(values(z, m, n), reference::axpby(alpha, again, beta, b)) == "");
            }
        }
  });
}

TEMPLATE_TEST_CASE("Long runs and results past the caches have the same bits", "[kernels][bits]", float, double) {
  using T = TestType;
  for_each_set(abax::openmp::runnable_kernels<T>(), [](const auto& set) {
    for (const page_edge edge : {page_edge::before, page_edge::after}) {
      for (const index_t n : {5000, 12345}) {  // several times four pages, and a rest
        const strided<T> x(n, 1, 1, 1, numbers::special, edge), y(n, 1, 1, 1, numbers::special, page_edge::before, 3);
        matrix<T> a(n, 1), b(n, 1), got(n, 1);
        for (index_t i = 0; i < n; ++i) a(i) = x(i, 0), b(i) = y(i, 0);
        const auto check = [&](const strided<T>& z, const matrix<T>& want) {
          for (index_t i = 0; i < n; ++i) got(i) = z(i, 0);
          CAPTURE(set.name, n);
          REQUIRE(abax::tests::difference(got, want) == "");
        };
        for (const T alpha : {T(0), T(-1.7)})
          for (const T beta : {T(0), T(1), T(0.3)})
            for (const auto combine : std::array{set.combine, set.combine_nontemporal}) {
              const strided<T> z(n, 1, 1, 1, numbers::unit, edge);
              combine(n, alpha, x.data(), 1, beta, y.data(), 1, z.data(), 1);
              check(z, reference::axpby(alpha, a, beta, b));
            }
        for (const auto copy : std::array{set.copy, set.copy_nontemporal}) {
          const strided<T> z(n, 1, 1, 1, numbers::unit, edge);
          copy(n, 1, x.data(), 1, 0, z.data(), 1, 0);
          check(z, a);
        }
        set.increment(n, T(0.7), x.data(), 1);
        check(x, reference::increment(T(0.7), a));
      }
      for (const index_t m : {15, 33, 1100, 2085})  // up to a whole page between two parts
        for (const index_t n : {3, 50, 100}) {
          constexpr index_t ld = 128;  // whole cache lines
          const strided<T> source(m, n, 1, m + 3, numbers::special, edge), target(m, n, ld, 1, numbers::unit, edge);
          for (const auto copy : std::array{set.copy, set.copy_nontemporal}) {
            target.restore(numbers::unit);
            copy(m, n, source.data(), 1, m + 3, target.data(), ld, 1);
            matrix<T> got(m, n), want(m, n);
            for (index_t j = 0; j < n; ++j)
              for (index_t i = 0; i < m; ++i) got(i, j) = target(i, j), want(i, j) = source(i, j);
            CAPTURE(set.name, m, n);
            REQUIRE(abax::tests::difference(got, want) == "");
          }
        }
      struct shape {
        index_t outputs, depth, stride_output, stride_depth;
      };
      for (const shape& s :
           {shape{300, 2048, 1, 303}, shape{8207, 70, 1, 8207}, shape{50, 1500, 1501, 1}, shape{300, 100, 103, 1},
            shape{1100, 18, 18, 1}, shape{61, 300, 512, 1}, shape{61, 300, 1024, 1}}) {
        const strided<T> a(s.outputs, s.depth, s.stride_output, s.stride_depth, numbers::unit, edge),
            x(s.depth, 1, 1, 1, numbers::unit, edge, 3);
        std::vector<T> want(s.outputs, T(0));
        for (index_t i = 0; i < s.outputs; ++i)
          for (index_t p = 0; p < s.depth; ++p) want[i] = std::fma(a(i, p), x(p, 0), want[i]);
        const scratch<T> part(s.outputs);
        for (index_t i = 0; i < s.outputs; ++i) part[i] = T(0);
        set.multiply_add_vector(s.outputs, s.depth, a.data(), s.stride_output, s.stride_depth, x.data(), part.data());
        CAPTURE(set.name, s.outputs, s.depth, s.stride_output, s.stride_depth);
        REQUIRE(difference(part.values(s.outputs), want) == "");
        REQUIRE(part.guarded(s.outputs));
      }
    }
  });
}

TEST_CASE("ABAX_CPU names the set of loops, or is refused with the names there are", "[kernels]") {
  const char* wish = std::getenv("ABAX_CPU");
  const auto& chosen = abax::openmp::kernels<float>();
  if (wish != nullptr && *wish != '\0')
    REQUIRE(std::string(chosen.name) == wish);
  else
    REQUIRE(&chosen == abax::openmp::runnable_kernels<float>()[0]);
  REQUIRE(std::string(abax::openmp::kernels<double>().name) == chosen.name);
}
#else
TEST_CASE("The inner loops of the OpenMP backend have the canon's bits", "[kernels][bits]") {
  SKIP("this build has no OpenMP");
}
#endif
