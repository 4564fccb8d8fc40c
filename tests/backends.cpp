// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both backends in one program: CUDA against OpenMP, bit for bit, also on shapes the oracle would take long for.
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "copies.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
namespace launch = abax::launch;

#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_ENABLE_OPENMP)
namespace {

// What each space makes of the same operands.
template <class T, class Exec>
matrix<T> gemm_on(const char* ta, const char* tb, const matrix<T>& a, const matrix<T>& b, const matrix<T>& c,
                  const placement& where) {
  const operand<T, Exec> A(a, where), B(b, where), C(c, where);
  A.visit([&](const auto& va) {
    B.visit([&](const auto& vb) {
      C.visit([&](const auto& vc) { abax::gemm(Exec(), ta, tb, T(1.25), va, vb, T(-0.75), vc); });
    });
  });
  Exec().fence();
  return C.values();
}
// The same with operands copied to aligned lines first, as the launch does where that pays.
template <class T, class Exec>
matrix<T> gemm_of_copies_on(const matrix<T>& a, const matrix<T>& b, const matrix<T>& c, const placement& where) {
  const operand<T, Exec> A(a, where), B(b, where), C(c, where);
  A.visit([&](const auto& va) {
    B.visit([&](const auto& vb) {
      C.visit([&](const auto& vc) {
        const abax::tile::product<T> problem{
            launch::input_matrix(va), launch::input_matrix(vb), launch::matrix_of(vc), {T(1.25), T(-0.75)}};
        REQUIRE(multiply_copies<abax::backends::backend_for_t<Exec>>(Exec(), problem, {true, true}));
      });
    });
  });
  Exec().fence();
  return C.values();
}
// The same by a row whose tile has at least `outputs` outputs, and whose block sums a launch of their own joins: those
// of all tiles, or of the later half.
template <class T, class Exec>
matrix<T> gemm_joined_apart_on(const matrix<T>& a, const matrix<T>& b, const matrix<T>& c, const placement& where,
                               int outputs, bool half) {
  using backend = abax::backends::backend_for_t<Exec>;
  const operand<T, Exec> A(a, where), B(b, where), C(c, where);
  const auto machine = backend::machine(Exec());
  int found = 0;
  A.visit([&](const auto& va) {
    B.visit([&](const auto& vb) {
      C.visit([&](const auto& vc) {
        const auto problem = abax::tile::along_rows(abax::tile::product<T>{
            launch::input_matrix(va), launch::input_matrix(vb), launch::matrix_of(vc), {T(1.25), T(-0.75)}});
        for (auto plan : launch::plans<backend, launch::shape::matrix>(problem, machine)) {
          if (half) plan.cut.whole = launch::tiles_of(problem, plan.tile) / 2;
          const bool apart = plan.cut.splits > 1 && (plan.cut.whole > 0) == half &&
                             plan.tile.rows * plan.tile.cols >= outputs &&
                             launch::joins_apart(problem, plan.tile, plan.row->cost, machine, plan.cut);
          if (apart && found++ == 0) launch::run_product("test", Exec(), machine, problem, plan);
        }
      });
    });
  });
  Exec().fence();
  REQUIRE(found > 0);
  return C.values();
}
template <class T, class Exec>
matrix<T> gemv_on(const char* trans, const matrix<T>& a, const matrix<T>& x, const matrix<T>& y,
                  const placement& where) {
  const operand<T, Exec> A(a, where), X(x, where), Y(y, where);
  A.visit([&](const auto& va) {
    X.visit_vector([&](const auto& vx) {
      Y.visit_vector([&](const auto& vy) { abax::gemv(Exec(), trans, T(1.25), va, vx, T(-0.75), vy); });
    });
  });
  Exec().fence();
  return Y.values();
}
template <class T, class Exec>
matrix<T> transpose_on(const matrix<T>& a, const placement& where) {
  const operand<T, Exec> A(a, where), B(matrix<T>(a.cols, a.rows), where);
  A.visit([&](const auto& va) { B.visit([&](const auto& vb) { abax::transpose(Exec(), va, vb); }); });
  Exec().fence();
  return B.values();
}
template <class T, class Exec>
matrix<T> transpose_in_place_on(const matrix<T>& a, const placement& where) {
  const operand<T, Exec> A(a, where);
  A.visit([&](const auto& va) { abax::transpose(Exec(), va); });
  Exec().fence();
  return A.values();
}
// dot, then axpby, triad, scal, increment and copy one after another on the same vectors.
template <class T, class Exec>
matrix<T> streams_on(const matrix<T>& x, const matrix<T>& y, const placement& where) {
  const operand<T, Exec> X(x, where), Y(y, where), Z(y, where);
  X.visit_vector([&](const auto& vx) {
    Y.visit_vector([&](const auto& vy) {
      Z.visit_vector([&](const auto& vz) {
        abax::axpby(Exec(), T(1.7), vx, T(-0.3), vy);
        abax::triad(Exec(), T(0.9), vx, vy, vz);
        abax::scal(Exec(), vy, T(1.1), vz);
        abax::increment(Exec(), T(0.1), vy);
        abax::copy(Exec(), vy, vz);
        abax::dot(Exec(), vx, vy, Kokkos::subview(vz, 0));
      });
    });
  });
  Exec().fence();
  return Z.values();
}

}  // namespace
#endif

TEMPLATE_TEST_CASE("CUDA and OpenMP give the same bits", "[backends][bits]", float, double) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_ENABLE_OPENMP)
  using T = TestType;
  using Kokkos::Cuda, Kokkos::OpenMP;
  const char* const trans[] = {"N", "T"};
  for (const placement& where : {all_placements[0], all_placements[1], all_placements[2], all_placements[3]}) {
    CAPTURE(where.text());
    for (const auto& [m, n, k] :
         {std::array<index_t, 3>{1031, 517, 1200}, {257, 300, 6200}, {129, 1000, 2049}, {8, 8, 100003}})
      for (int t = 0; t < 4; ++t) {
        CAPTURE(m, n, k, t);
        const matrix<T> a = t % 2 ? random_matrix<T>(k, m, numbers::unit, 1) : random_matrix<T>(m, k, numbers::unit, 1),
                        b = t / 2 ? random_matrix<T>(n, k, numbers::unit, 2) : random_matrix<T>(k, n, numbers::unit, 2),
                        c = random_matrix<T>(m, n, numbers::special, 3);
        REQUIRE(difference(gemm_on<T, Cuda>(trans[t % 2], trans[t / 2], a, b, c, where),
                           gemm_on<T, OpenMP>(trans[t % 2], trans[t / 2], a, b, c, where)) == "");
      }
    for (const auto& [m, k] : {std::array<index_t, 2>{4099, 2049}, {1031, 8191}, {100003, 17}, {17, 100003}})
      for (int t = 0; t < 2; ++t) {
        CAPTURE(m, k, t);
        const matrix<T> a = t ? random_matrix<T>(k, m, numbers::unit, 4) : random_matrix<T>(m, k, numbers::unit, 4),
                        x = random_vector<T>(k, numbers::unit, 5), y = random_vector<T>(m, numbers::special, 6);
        REQUIRE(difference(gemv_on<T, Cuda>(trans[t], a, x, y, where), gemv_on<T, OpenMP>(trans[t], a, x, y, where)) ==
                "");
      }
    const matrix<T> a = random_matrix<T>(2049, 1023, numbers::special, 7);
    REQUIRE(difference(transpose_on<T, Cuda>(a, where), transpose_on<T, OpenMP>(a, where)) == "");
    const matrix<T> q = random_matrix<T>(1031, 1031, numbers::special, 7);
    REQUIRE(difference(transpose_in_place_on<T, Cuda>(q, where), transpose_in_place_on<T, OpenMP>(q, where)) == "");
    const matrix<T> x = random_vector<T>(3000017, numbers::unit, 8), y = random_vector<T>(3000017, numbers::special, 9);
    REQUIRE(difference(streams_on<T, Cuda>(x, y, where), streams_on<T, OpenMP>(x, y, where)) == "");
    const matrix<T> z = random_vector<T>(3000017, numbers::wide, 10);
    REQUIRE(difference(streams_on<T, Cuda>(x, z, where), streams_on<T, OpenMP>(x, z, where)) == "");
  }
#else
  SKIP("this build has not both CUDA and OpenMP");
#endif
}

// Small enough for compute-sanitizer: every kernel's ring goes round, k passes one block of the canon, edges are
// ragged.
TEMPLATE_TEST_CASE("A reduced set for the sanitizers agrees on both backends", "[sanitizer]", float, double) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_ENABLE_OPENMP)
  using T = TestType;
  using cuda = Kokkos::Cuda;
  using openmp = Kokkos::OpenMP;
  const auto random = [](index_t m, index_t n, unsigned seed) { return random_matrix<T>(m, n, numbers::unit, seed); };
  const index_t m = 72, n = 68, k = 2052 + 16;
  const matrix<T> c = random(m, n, 3);
  for (const placement& where : {all_placements[0], all_placements[2]}) {  // 16-byte copies, and element by element
    CAPTURE(where.text());
    for (const bool ta : {false, true})
      for (const bool tb : {false, true}) {
        const matrix<T> a = ta ? random(k, m, 1) : random(m, k, 1), b = tb ? random(n, k, 2) : random(k, n, 2);
        const char *A = ta ? "T" : "N", *B = tb ? "T" : "N";
        REQUIRE(difference(gemm_on<T, cuda>(A, B, a, b, c, where), gemm_on<T, openmp>(A, B, a, b, c, where)) == "");
      }
    const matrix<T> a = random(k, m, 4), x = random(k, 1, 5), y = random(m, 1, 6);
    REQUIRE(difference(gemv_on<T, cuda>("N", a, y, x, where), gemv_on<T, openmp>("N", a, y, x, where)) == "");
    REQUIRE(difference(gemv_on<T, cuda>("T", a, x, y, where), gemv_on<T, openmp>("T", a, x, y, where)) == "");
    REQUIRE(difference(transpose_on<T, cuda>(a, where), transpose_on<T, openmp>(a, where)) == "");
    // One team joins a tile of few sums, several one of many.
    for (const auto& [rows, cols, blocks, outputs, half] :
         {std::array<int, 5>{7, 7, 60, 1, false}, {72, 68, 9, 2048, false}, {72, 68, 9, 2048, true}}) {
      const matrix<T> wide = random(rows, blocks * 2048 + 20, 10), tall = random(blocks * 2048 + 20, cols, 11),
                      some_c = random(rows, cols, 14);
      REQUIRE(difference(gemm_joined_apart_on<T, cuda>(wide, tall, some_c, where, outputs, half != 0),
                         gemm_on<T, openmp>("N", "N", wide, tall, some_c, where)) == "");
    }
    const matrix<T> some_a = random(m, 67, 12), some_b = random(67, n, 13);
    REQUIRE(difference(gemm_of_copies_on<T, cuda>(some_a, some_b, c, where),
                       gemm_on<T, openmp>("N", "N", some_a, some_b, c, where)) == "");
    for (const index_t size : {131, 132}) {
      const matrix<T> q = random(size, size, 9);
      REQUIRE(difference(transpose_in_place_on<T, cuda>(q, where), transpose_in_place_on<T, openmp>(q, where)) == "");
    }
    const matrix<T> u = random(70001, 1, 7), v = random(70001, 1, 8);
    REQUIRE(difference(streams_on<T, cuda>(u, v, where), streams_on<T, openmp>(u, v, where)) == "");
  }
#else
  SKIP("this build has one backend; CUDA and OpenMP are compared where both are built in");
#endif
}
