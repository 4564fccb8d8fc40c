// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's program, drawn at random: fills, copies, subviews, kernels, reductions, scans and calls of Abax on Views
// that lie in a few pieces of memory, each step mirrored on the host, all memory compared bit by bit.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>

#include "fields.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using Kokkos::ALL;

namespace {

using T = float;
constexpr index_t piece_size = 1000;
constexpr int longest = 12;  // of a block's extents

/// A matrix in one of the pieces.
struct block {
  int piece;
  index_t first, rows, cols, row_stride, col_stride;
  layout how;
  index_t at(index_t i, index_t j) const { return first + i * row_stride + j * col_stride; }
};

template <class Exec, class Layout>
using matrix_view = Kokkos::View<T**, Layout, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec>
using matrix_range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;

// What a user's kernels compute. Halves and 256ths keep every sum exact, or rounded once, whatever a compiler fuses.

template <class Exec, class To, class From>
void move_towards(const Exec& exec, const To& to, const From& from, T value) {
  Kokkos::parallel_for(
      "move_towards", matrix_range<Exec>(exec, {0, 0}, {index_t(to.extent(0)), index_t(to.extent(1))}),
      KOKKOS_LAMBDA(int i, int j) { to(i, j) = from(i, j) / 2 + value; });
}

template <class X, class Y>
struct halve_difference {
  X x;
  Y y;
  KOKKOS_FUNCTION void operator()(int i) const { y(i) = (x(i) - y(i)) / 2; }
};

template <class Exec, class X, class Result>
void count_positive(const Exec& exec, const X& x, const Result& result) {
  Kokkos::parallel_reduce(
      "count_positive", matrix_range<Exec>(exec, {0, 0}, {index_t(x.extent(0)), index_t(x.extent(1))}),
      KOKKOS_LAMBDA(int i, int j, T& count) { count += x(i, j) > 0 ? T(1) / 256 : T(0); }, result);
}

template <class Exec, class X, class Y>
void number_positive(const Exec& exec, const X& x, const Y& y) {
  Kokkos::parallel_scan(
      "number_positive", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)), KOKKOS_LAMBDA(int i, T& count, bool last) {
        count += x(i) > 0 ? T(1) / 256 : T(0);
        if (last) y(i) = count;
      });
}

template <class Exec>
class program {
 public:
  program(const Exec& exec, std::uint64_t seed) : exec_(exec), random_(seed) {
    for (field<T, Exec>& piece : pieces_) {
      for (index_t e = 0; e < piece_size; ++e) piece[e] = random_.unit<T>();
      piece.upload();
    }
  }
  index_t fills() const { return fills_; }

  void step() {
    const int choice = random_.below(24);
    if (choice < 15) return fill();
    const int a = random_.below(3), b = (a + 1 + random_.below(2)) % 3, c = 3 - a - b;
    const index_t m = extent(), n = extent(), k = extent();
    const T alpha = random_.unit<T>() / 100, beta = random_.below(3) == 0 ? T(0) : random_.unit<T>() / 2;
    const block mn = draw(a, m, n), other = draw(b, m, n);
    // One line of a block of any layout: a row or a column, as the layout has it.
    const block x = draw(a, m, 1), y = draw(b, m, 1), z = draw(c, m, 1);
    const matrix<T> u = read(x), v = read(y), w = read(z);
    switch (choice) {
      case 15:
        visit(mn, [&](const auto& to) { Kokkos::deep_copy(exec_, to, strided(other)); });
        return write(mn, read(other));
      case 16: {
        visit(mn, [&](const auto& to) { move_towards(exec_, to, strided(other), alpha); });
        return each(mn, [&](index_t i, index_t j) { return read(other)(i, j) / 2 + alpha; });
      }
      case 17: {
        visit(y, [&](const auto& to) {
          const auto from = Kokkos::subview(strided(x), ALL, 0);
          const auto column = Kokkos::subview(to, ALL, 0);
          Kokkos::parallel_for("halve_difference", Kokkos::RangePolicy<Exec>(exec_, 0, m),
                               halve_difference<decltype(from), decltype(column)>{from, column});
        });
        return each(y, [&](index_t i, index_t) { return (u(i) - v(i)) / 2; });
      }
      case 18: {
        visit(mn, [&](const auto& from) { count_positive(exec_, from, Kokkos::subview(strided(y), m - 1, 0)); });
        const matrix<T> from = read(mn);
        T count = 0;
        for (const T value : from.elements) count += value > 0 ? T(1) / 256 : T(0);
        pieces_[b][y.at(m - 1, 0)] = count;
        return;
      }
      case 19: {
        visit(y, [&](const auto& to) {
          number_positive(exec_, Kokkos::subview(strided(x), ALL, 0), Kokkos::subview(to, ALL, 0));
        });
        T count = 0;
        return each(y, [&](index_t i, index_t) { return count += u(i) > 0 ? T(1) / 256 : T(0); });
      }
      case 20: {
        const bool trans = random_.below(2) == 0;
        const block A = trans ? draw(b, k, m) : draw(b, m, k), B = draw(c, k, n);
        const char name = trans ? 'T' : 'N';
        const matrix<T> want = abax::reference::gemm(name, 'N', alpha, read(A), read(B), beta, read(mn));
        visit(mn, [&](const auto& to) {
          visit(A, [&](const auto& from) {
            abax::gemm(exec_, trans ? "T" : "N", "N", alpha, from, strided(B), beta, to);
          });
        });
        return write(mn, want);
      }
      case 21: {
        const block A = draw(c, m, k), in = draw(b, k, 1);
        const matrix<T> want = abax::reference::gemv('N', alpha, read(A), read(in), beta, u);
        visit(A, [&](const auto& from) { abax::gemv(exec_, "N", alpha, from, column(in), beta, column(x)); });
        return write(x, want);
      }
      case 22: {
        const block turned = draw(b, n, m);
        visit(turned, [&](const auto& to) { abax::transpose(exec_, strided(mn), to); });
        return write(turned, abax::reference::transpose(read(mn)));
      }
      default:
        return stream(x, y, z, u, v, w, alpha, beta);
    }
  }

  /// Empty if all memory is as it must be.
  std::string change() const {
    for (const field<T, Exec>& piece : pieces_)
      if (const std::string found = piece.change(); found != "") return found;
    return "";
  }
  bool finite() const {
    for (const field<T, Exec>& piece : pieces_)
      for (index_t e = 0; e < piece_size; ++e)
        if (!std::isfinite(piece[e])) return false;
    return true;
  }

 private:
  index_t extent() { return 1 + random_.below(longest); }

  /// A block somewhere in the piece, of any layout.
  block draw(int piece, index_t rows, index_t cols) {
    const layout how = static_cast<layout>(random_.below(3));
    const bool by_rows = how == layout::right || (how == layout::stride && random_.below(2) == 0);
    const index_t step = how == layout::stride ? 1 + random_.below(3) : 1;
    const index_t lines = by_rows ? rows : cols, line = by_rows ? cols : rows;
    const index_t ld = line * step + random_.below(4);
    const index_t first = random_.below(static_cast<int>(piece_size - ld * lines));
    return {piece, first, rows, cols, by_rows ? ld : step, by_rows ? step : ld, how};
  }

  auto strided(const block& b) const {
    return matrix_view<Exec, Kokkos::LayoutStride>(pieces_[b.piece].data() + b.first,
                                                   Kokkos::LayoutStride(b.rows, b.row_stride, b.cols, b.col_stride));
  }
  auto column(const block& b) const { return Kokkos::subview(strided(b), ALL, 0); }
  /// use(view) with a View of the block's layout: for left and right, a part of a larger matrix.
  template <class Use>
  void visit(const block& b, const Use& use) const {
    const std::pair<index_t, index_t> rows(0, b.rows), cols(0, b.cols);
    T* const data = pieces_[b.piece].data() + b.first;
    if (b.how == layout::left)
      use(Kokkos::subview(matrix_view<Exec, Kokkos::LayoutLeft>(data, b.col_stride, b.cols), rows, ALL));
    else if (b.how == layout::right)
      use(Kokkos::subview(matrix_view<Exec, Kokkos::LayoutRight>(data, b.rows, b.row_stride), ALL, cols));
    else
      use(strided(b));
  }

  matrix<T> read(const block& b) const {
    matrix<T> values(b.rows, b.cols);
    for (index_t j = 0; j < b.cols; ++j)
      for (index_t i = 0; i < b.rows; ++i) values(i, j) = pieces_[b.piece][b.at(i, j)];
    return values;
  }
  template <class Value>
  void each(const block& b, const Value& value) {
    for (index_t j = 0; j < b.cols; ++j)
      for (index_t i = 0; i < b.rows; ++i) pieces_[b.piece][b.at(i, j)] = value(i, j);
  }
  void write(const block& b, const matrix<T>& values) {
    each(b, [&](index_t i, index_t j) { return values(i, j); });
  }

  void fill() {
    ++fills_;
    const T value = random_.below(8) == 0 ? T(0) : random_.unit<T>();
    const block b = draw(random_.below(3), extent(), extent());
    const int kind = random_.below(5), i = random_.below(static_cast<int>(b.rows)),
              j = random_.below(static_cast<int>(b.cols));
    const auto set = [&](const auto& view) {
      if (random_.below(2) == 0)
        Kokkos::deep_copy(exec_, view, value);
      else
        Kokkos::deep_copy(view, value);
    };
    visit(b, [&](const auto& view) {
      const std::pair<int, int> rows(i, b.rows), cols(0, j + 1);
      if (kind == 0) set(view);
      if (kind == 1) set(Kokkos::subview(view, ALL, j));
      if (kind == 2) set(Kokkos::subview(view, i, ALL));
      if (kind == 3) set(Kokkos::subview(view, i, j));
      if (kind == 4) set(Kokkos::subview(view, rows, cols));
    });
    for (index_t column = 0; column < b.cols; ++column)
      for (index_t row = 0; row < b.rows; ++row) {
        const bool filled = kind == 0 || (kind == 1 && column == j) || (kind == 2 && row == i) ||
                            (kind == 3 && row == i && column == j) || (kind == 4 && row >= i && column <= j);
        if (filled) pieces_[b.piece][b.at(row, column)] = value;
      }
  }

  void stream(const block& x, const block& y, const block& z, const matrix<T>& u, const matrix<T>& v,
              const matrix<T>& w, T alpha, T beta) {
    switch (random_.below(6)) {
      case 0:
        abax::axpby(exec_, alpha, column(x), beta, column(y));
        return write(y, abax::reference::axpby(alpha, u, beta, v));
      case 1:
        abax::scal(exec_, column(y), alpha, column(x));
        return write(y, abax::reference::scal(alpha, u));
      case 2:
        abax::copy(exec_, column(x), column(y));
        return write(y, u);
      case 3:
        abax::triad(exec_, alpha, column(x), column(y), column(z));
        return write(z, abax::reference::triad(alpha, u, v));
      case 4:
        abax::increment(exec_, alpha, column(z));
        return write(z, abax::reference::increment(alpha, w));
      default:
        abax::dot(exec_, column(x), column(y), Kokkos::subview(strided(z), 0, 0));
        pieces_[z.piece][z.at(0, 0)] = abax::reference::dot(u, v);
    }
  }

  Exec exec_;
  random_bits random_;
  std::array<field<T, Exec>, 3> pieces_{field<T, Exec>(piece_size), field<T, Exec>(piece_size),
                                        field<T, Exec>(piece_size)};
  index_t fills_ = 0;
};

}  // namespace

TEST_CASE("A user's program drawn at random leaves in memory what its mirror on the host holds", "[views][bits]") {
  for_each_space([]<class Exec>(const Exec& exec) {
    CAPTURE(exec.name());
    constexpr bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
    program<Exec> user(exec, 20261122);
    int steps = 0;
    while (user.fills() < (host ? 2000 : 15000)) {  // a step on the host waits for its threads, several times
      user.step();
      if (++steps % 1000 == 0) {
        CAPTURE(steps);
        REQUIRE(user.change() == "");
      }
    }
    REQUIRE(user.change() == "");
    REQUIRE(user.finite());
  });
}
