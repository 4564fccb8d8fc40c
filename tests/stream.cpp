// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streaming kernels against the oracle: axpby, scal, copy, triad and increment, in place and out of place.
#include <abax/stream.hpp>
#include <abax/transpose.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

constexpr placement vectors[] = {{layout::left, 0, 0},
                                 {layout::right, 0, 1},
                                 {layout::left, 0, 3},
                                 {layout::stride, 0, 1, 2},
                                 {layout::stride, 0, 0, 5}};

// Lengths around vectors and around the runs of teams (256 to 1024 elements on a GPU, 4096 and 32768 on a CPU).
constexpr index_t lengths[] = {0,    1,    2,    3,    4,    5,    7,    8,    9,     15,    16,    17,    31,
                               33,   63,   64,   65,   127,  129,  255,  256,  257,   511,   512,   513,   1000,
                               1023, 1024, 1025, 4095, 4096, 4097, 8191, 8193, 32767, 32768, 32769, 65537, 100003};

template <class T>
struct scalars {
  static std::vector<T> all() {
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(1.7),
            T(-0.3),
            std::numeric_limits<T>::min(),
            nan_with_payload<T>(),
            std::numeric_limits<T>::infinity()};
  }
};

// check(where_x, where_y, where_z) for combinations of placements: all of them for short vectors.
template <class Check>
void for_placements(index_t n, const Check& check) {
  int turn = static_cast<int>(n % 5);
  for (const placement& x : vectors)
    for (const placement& y : vectors)
      for (const placement& z : vectors)
        if (turn++ % (n < 50 ? 2 : n < 5000 ? 7 : 31) == 0) check(x, y, z);
}

template <class T>
void check_axpby(index_t n, T alpha, T beta, numbers x_kind, numbers y_kind) {
  const matrix<T> x = random_vector<T>(n, x_kind, n), y = random_vector<T>(n, y_kind, n + 1);
  const matrix<T> want = abax::reference::axpby(alpha, x, beta, y), own = abax::reference::axpby(alpha, y, beta, y);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for_placements(n, [&](const placement& px, const placement& py, const placement&) {
      CAPTURE(Exec::name(), n, alpha, beta, name_of(x_kind), name_of(y_kind), px.text(), py.text());
      const operand<T, Exec> X(x, px), Y(y, py);
      X.template visit_vector<const T>(
          [&](const auto& a) { Y.visit_vector([&](const auto& b) { abax::axpby(exec, alpha, a, beta, b); }); });
      exec.fence();
      REQUIRE(Y.difference_from(want) == "");
      REQUIRE(X.change() == "");
      Y.restore();
      Y.visit_vector([&](const auto& b) { abax::axpby(exec, alpha, b, beta, b); });  // x is y itself
      exec.fence();
      REQUIRE(Y.difference_from(own) == "");
    });
  });
}

template <class T>
void check_scal(index_t n, T alpha, numbers kind) {
  const matrix<T> x = random_vector<T>(n, kind, n), junk(n, 1, nan_with_payload<T>());
  const matrix<T> want = abax::reference::scal(alpha, x);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for_placements(n, [&](const placement& px, const placement& py, const placement&) {
      CAPTURE(Exec::name(), n, alpha, name_of(kind), px.text(), py.text());
      const operand<T, Exec> X(x, px), Y(junk, py);
      X.template visit_vector<const T>(
          [&](const auto& a) { Y.visit_vector([&](const auto& b) { abax::scal(exec, b, alpha, a); }); });
      exec.fence();
      REQUIRE(Y.difference_from(want) == "");
      REQUIRE(X.change() == "");
      X.visit_vector([&](const auto& a) { abax::scal(exec, a, alpha, a); });
      exec.fence();
      REQUIRE(X.difference_from(want) == "");
    });
  });
}

template <class T>
void check_triad(index_t n, T alpha, numbers x_kind, numbers y_kind) {
  const matrix<T> x = random_vector<T>(n, x_kind, n), y = random_vector<T>(n, y_kind, n + 1);
  const matrix<T> junk(n, 1, nan_with_payload<T>()), want = abax::reference::triad(alpha, x, y);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for_placements(n, [&](const placement& px, const placement& py, const placement& pz) {
      CAPTURE(Exec::name(), n, alpha, name_of(x_kind), name_of(y_kind), px.text(), py.text(), pz.text());
      const operand<T, Exec> X(x, px), Y(y, py), Z(junk, pz);
      X.template visit_vector<const T>([&](const auto& a) {
        Y.visit_vector([&](const auto& b) {
          Z.visit_vector([&](const auto& c) { abax::triad(exec, alpha, a, b, c); });
          exec.fence();
          REQUIRE(Z.difference_from(want) == "");
          REQUIRE(X.change() == "");
          REQUIRE(Y.change() == "");
          abax::triad(exec, alpha, a, b, b);  // z is y
          exec.fence();
          REQUIRE(Y.difference_from(want) == "");
          Y.restore();
        });
      });
      X.visit_vector([&](const auto& a) {  // z is x
        Y.visit_vector([&](const auto& b) { abax::triad(exec, alpha, a, b, a); });
      });
      exec.fence();
      REQUIRE(X.difference_from(want) == "");
    });
  });
}

template <class T>
void check_increment(index_t n, T value, numbers kind) {
  const matrix<T> x = random_vector<T>(n, kind, n), want = abax::reference::increment(value, x);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const placement& px : vectors) {
      CAPTURE(Exec::name(), n, value, name_of(kind), px.text());
      const operand<T, Exec> X(x, px);
      X.visit_vector([&](const auto& a) { abax::increment(exec, value, a); });
      exec.fence();
      REQUIRE(X.difference_from(want) == "");
    }
  });
}

template <class T>
void check_copy(index_t n) {
  random_bits random(n);
  matrix<T> x(n, 1);
  for (T& element : x.elements) {  // any bits at all
    const auto bits = static_cast<bits_t<T>>(random.next());
    std::memcpy(&element, &bits, sizeof bits);
  }
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for_placements(n, [&](const placement& px, const placement& py, const placement&) {
      CAPTURE(Exec::name(), n, px.text(), py.text());
      const operand<T, Exec> X(x, px), Y(matrix<T>(n, 1, T(7)), py);
      X.template visit_vector<const T>(
          [&](const auto& a) { Y.visit_vector([&](const auto& b) { abax::copy(exec, a, b); }); });
      exec.fence();
      REQUIRE(Y.difference_from(x) == "");
      REQUIRE(X.change() == "");
    });
  });
}

/// axpby, scal, triad and copy of m x n matrices, each in place, too, where that is allowed.
template <class T>
void check_matrices(index_t m, index_t n, T alpha, T beta, bool every_placement) {
  const matrix<T> x = random_matrix<T>(m, n, numbers::unit, m + n), y = random_matrix<T>(m, n, numbers::unit, m - n);
  const matrix<T> axpby = abax::reference::axpby(alpha, x, beta, y), scal = abax::reference::scal(alpha, x),
                  triad = abax::reference::triad(alpha, x, y), scaled = abax::reference::axpby(T(0), x, beta, y);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    std::size_t turn = m + n;
    for (const placement& px : all_placements)
      for (const placement& py : all_placements) {
        if (turn++ % 5 != 0 && !every_placement) continue;
        const placement& pz = all_placements[turn % all_placements.size()];
        CAPTURE(Exec::name(), m, n, alpha, beta, px.text(), py.text(), pz.text());
        const operand<T, Exec> X(x, px), Y(y, py), Z(matrix<T>(m, n, nan_with_payload<T>()), pz);
        X.template visit<const T>([&](const auto& a) {
          Z.visit([&](const auto& c) {
            abax::scal(exec, c, alpha, a);
            exec.fence();
            REQUIRE(Z.difference_from(scal) == "");
            abax::copy(exec, a, c);
            exec.fence();
            REQUIRE(Z.difference_from(x) == "");
            Y.visit([&](const auto& b) {
              abax::triad(exec, alpha, a, b, c);
              exec.fence();
              REQUIRE(Z.difference_from(triad) == "");
              REQUIRE(Y.change() == "");
              abax::axpby(exec, alpha, a, beta, b);
              exec.fence();
              REQUIRE(Y.difference_from(axpby) == "");
            });
          });
        });
        REQUIRE(X.change() == "");
        Y.restore();
        Y.visit([&](const auto& b) {  // what is not read may be null
          auto none = b;
          none = std::decay_t<decltype(b)>(nullptr, b.layout());
          abax::axpby(exec, T(0), none, beta, b);
        });
        exec.fence();
        REQUIRE(Y.difference_from(scaled) == "");
        X.visit([&](const auto& a) { abax::scal(exec, a, alpha, a); });
        exec.fence();
        REQUIRE(X.difference_from(scal) == "");
      }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("axpby has the canon's bits at every length", "[stream][bits]", float, double) {
  for (const index_t n : lengths) check_axpby<TestType>(n, TestType(1.7), TestType(-0.3), numbers::unit, numbers::wide);
}
TEMPLATE_TEST_CASE("scal has the canon's bits at every length", "[stream][bits]", float, double) {
  for (const index_t n : lengths) check_scal<TestType>(n, TestType(1.7), numbers::wide);
}
TEMPLATE_TEST_CASE("triad has the canon's bits at every length", "[stream][bits]", float, double) {
  for (const index_t n : lengths) check_triad<TestType>(n, TestType(1.7), numbers::unit, numbers::wide);
}
TEMPLATE_TEST_CASE("increment has the canon's bits at every length", "[stream][bits]", float, double) {
  for (const index_t n : lengths) check_increment<TestType>(n, TestType(1.7), numbers::wide);
}
TEMPLATE_TEST_CASE("copy moves every bit at every length", "[stream][bits]", float, double) {
  for (const index_t n : lengths) check_copy<TestType>(n);
}

TEMPLATE_TEST_CASE("Matrices are combined and copied element by element in any layout", "[stream][bits]", float,
                   double) {
  using T = TestType;
  for (const index_t m : {0, 1, 2, 7})
    for (const index_t n : {0, 1, 2, 5}) check_matrices<T>(m, n, T(1.7), T(-0.3), true);
  check_matrices<T>(16, 8, T(0), T(-0.3), true);
  check_matrices<T>(33, 129, T(1.7), T(0), false);
  check_matrices<T>(1000, 37, T(-2.5), T(1), false);
  check_matrices<T>(3, 20011, T(1.7), T(-0.3), false);
  // On a CPU teams take whole columns, which count as the cache's lines that they touch, or a part of a long one.
  check_matrices<T>(2, 9001, T(0), T(-1), false);
  check_matrices<T>(9, 4099, T(1.7), T(-0.3), false);
  check_matrices<T>(40007, 3, T(1.7), T(-0.3), false);
  // Columns beside the 256 elements that a GPU's threads lie apart, and beside those of a team.
  for (const index_t m : {85, 255, 256, 257, 511, 513, 1023, 1025}) {
    check_matrices<T>(m, 7, T(1.7), T(-0.3), false);
    check_matrices<T>(m, 3, T(0), T(-1), false);
  }
}

TEMPLATE_TEST_CASE("Streaming kernels follow the canon for every scalar and special value", "[stream][bits]", float,
                   double) {
  using T = TestType;
  for (const T alpha : scalars<T>::all())
    for (const numbers kind : {numbers::special, numbers::subnormal}) {
      for (const T beta : scalars<T>::all()) check_axpby<T>(131, alpha, beta, kind, kind);
      check_scal<T>(131, alpha, kind);
      check_triad<T>(131, alpha, kind, kind);
      check_increment<T>(131, alpha, kind);
      check_increment<T>(4100, alpha, kind);
    }
}

TEMPLATE_TEST_CASE("Streaming kernels read x only if alpha is not 0, y only if beta is not 0", "[stream][bits]", float,
                   double) {
  using T = TestType;
  for (const T scalar : {T(0), T(1), T(-1), T(0.3)}) {
    check_axpby<T>(77, T(0), scalar, numbers::nan, numbers::unit);
    check_axpby<T>(77, scalar, T(0), numbers::unit, numbers::nan);
  }
  check_scal<T>(77, T(0), numbers::nan);
  check_triad<T>(77, T(0), numbers::nan, numbers::unit);
}

// Large results take other stores on a CPU, past the caches.
TEMPLATE_TEST_CASE("Results larger than the caches have the same bits", "[stream][transpose][bits]", float, double) {
  using T = TestType;
  using Exec = Kokkos::DefaultHostExecutionSpace;
  const Exec exec;
  const index_t n = (index_t(33) << 20) / sizeof(T) + 13;
  const matrix<T> x = random_vector<T>(n, numbers::special, 1), y = random_vector<T>(n, numbers::special, 2);
  const matrix<T> junk(n, 1, nan_with_payload<T>());
  const matrix<T> sum = abax::reference::triad(T(1.7), x, y);
  const index_t rows = 2048, cols = n / rows + 5;
  const matrix<T> a = random_matrix<T>(rows, cols, numbers::special, 3), at = abax::reference::transpose(a);
  const placement packed = all_placements[0], shifted = all_placements[2];
  for (const auto& [of_x, of_y, of_z] :
       {placements{packed, packed, packed}, {shifted, shifted, shifted}, {packed, vectors[3], shifted}}) {
    CAPTURE(of_x.text(), of_y.text(), of_z.text());
    const operand<T, Exec> X(x, of_x), Y(y, of_y), Z(junk, of_z);
    X.template visit_vector<const T>([&](const auto& vx) {
      Y.template visit_vector<const T>([&](const auto& vy) {
        Z.visit_vector([&](const auto& vz) {
          abax::triad(exec, T(1.7), vx, vy, vz);
          exec.fence();
          REQUIRE(Z.difference_from(sum) == "");
          abax::copy(exec, vx, vz);
          exec.fence();
          REQUIRE(Z.difference_from(x) == "");
        });
      });
    });
    const operand<T, Exec> A(a, of_x), B(matrix<T>(cols, rows, nan_with_payload<T>()), of_z);
    A.visit([&](const auto& va) { B.visit([&](const auto& vb) { abax::transpose(exec, va, vb); }); });
    exec.fence();
    REQUIRE(B.difference_from(at) == "");
  }
}
