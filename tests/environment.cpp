// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that flush subnormals or round upwards: a loaded fast-math library leaves them so. The bits stay the canon's
// and the threads' modes stay theirs.
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "spaces.hpp"

#if defined(KOKKOS_ENABLE_OPENMP) && defined(__x86_64__)
#include <xmmintrin.h>
#define ABAX_TEST_MODES
#endif

using namespace abax::tests;

#ifdef ABAX_TEST_MODES
namespace {

constexpr unsigned ieee = 0x1F80;
constexpr unsigned flush = ieee | 0x8040;    // subnormal results and operands are zero
constexpr unsigned upwards = ieee | 0x4000;  // round towards +infinity

// On all threads of an instance: set the mode, and report modes that are not the expected one.
struct set_mode {
  unsigned mode;
  void operator()(int) const { _mm_setcsr(mode); }
};
struct check_mode {
  unsigned mode;
  int* others;
  void operator()(int) const {
    constexpr unsigned sticky = 0x3F;
    if ((_mm_getcsr() & ~sticky) != mode) *others = 1;
  }
};
template <class Functor>
void on_all_threads(const Kokkos::OpenMP& exec, const Functor& functor) {
  const Kokkos::RangePolicy<Kokkos::OpenMP, Kokkos::Schedule<Kokkos::Static>> all(exec, 0, 64);
  Kokkos::parallel_for("on_all_threads", all, functor);
  exec.fence();
}

}  // namespace
#endif

TEMPLATE_TEST_CASE("Flush-to-zero or another rounding mode on any thread changes no bit and is left as it was",
                   "[environment][bits]", float, double) {
#ifdef ABAX_TEST_MODES
  using T = TestType;
  using Exec = Kokkos::OpenMP;
  const placement where = all_placements[2];
  for (const numbers kind : {numbers::subnormal, numbers::unit}) {
    const index_t m = 70, n = 60, k = 150;
    const matrix<T> a = random_matrix<T>(m, k, kind, 1), b = random_matrix<T>(k, n, kind, 2),
                    c = random_matrix<T>(m, n, kind, 3), x = random_vector<T>(k, kind, 4),
                    y = random_vector<T>(m, kind, 5), u = random_vector<T>(100000, kind, 6),
                    v = random_vector<T>(100000, kind, 7);
    // Scalars that are subnormal themselves: code that asks whether they are zero must not see zero.
    for (const T alpha : {T(1), std::numeric_limits<T>::denorm_min()}) {
      const T beta = alpha == T(1) ? T(0.5) : T(0);  // nothing is added that would hide a tiny product
      const matrix<T> product = abax::reference::gemm('N', 'N', alpha, a, b, beta, c),
                      vector = abax::reference::gemv('N', alpha, a, x, beta, y), sum(1, 1, abax::reference::dot(u, v)),
                      combined = abax::reference::axpby(alpha, u, beta, v);
      for_each_thread_count([&](const Exec& exec, int threads) {
        const operand<T, Exec> A(a, where), B(b, where), C(c, where), X(x, where), Y(y, where), U(u, where),
            V(v, where), R(matrix<T>(1, 1), where);
        const auto va = A.template view<Kokkos::LayoutLeft>(), vb = B.template view<Kokkos::LayoutLeft>(),
                   vc = C.template view<Kokkos::LayoutLeft>();
        for (const unsigned mode : {flush, upwards}) {
          int others = 0;
          on_all_threads(exec, set_mode{mode});
          _mm_setcsr(mode);
          abax::gemm(exec, "N", "N", alpha, va, vb, beta, vc);
          X.visit_vector([&](const auto& vx) {
            Y.visit_vector([&](const auto& vy) { abax::gemv(exec, "N", alpha, va, vx, beta, vy); });
          });
          U.visit_vector([&](const auto& vu) {
            V.visit_vector([&](const auto& vv) {
              R.visit_vector([&](const auto& r) { abax::dot(exec, vu, vv, Kokkos::subview(r, 0)); });
              abax::axpby(exec, alpha, vu, beta, vv);
            });
          });
          exec.fence();
          check_mode{mode, &others}(0);
          on_all_threads(exec, check_mode{mode, &others});
          _mm_setcsr(ieee);
          on_all_threads(exec, set_mode{ieee});
          CAPTURE(threads, mode, name_of(kind), alpha);
          REQUIRE(others == 0);
          CHECK(C.difference_from(product) == "");
          CHECK(Y.difference_from(vector) == "");
          CHECK(R.difference_from(sum) == "");
          CHECK(V.difference_from(combined) == "");
          C.restore(), Y.restore(), V.restore();
        }
      });
    }
  }
#else
  SKIP("this build has no OpenMP threads whose mode the test can set");
#endif
}

TEMPLATE_TEST_CASE("The caller's floating-point flags are left as they were", "[environment]", float, double) {
#ifdef ABAX_TEST_MODES
  using T = TestType;
  using Exec = Kokkos::OpenMP;
  // Ragged tiles of two blocks: the padding of their sums is whatever memory held. And operands that do raise flags.
  const index_t m = 301, n = 203, k = 2100;
  const placement where = all_placements[0];
  const matrix<T> c = random_matrix<T>(m, n, numbers::unit, 3);
  for (const int threads : {1, 2})
    for (const numbers kind : {numbers::unit, numbers::special}) {
      const operand<T, Exec> A(random_matrix<T>(m, k, kind, 1), where), B(random_matrix<T>(k, n, kind, 2), where),
          C(c, where);
      const Exec exec(threads);
      for (const unsigned flags : {0x00u, 0x09u}) {
        _mm_setcsr(ieee | flags);
        abax::gemm(exec, "N", "N", T(1), A.template view<Kokkos::LayoutLeft>(), B.template view<Kokkos::LayoutLeft>(),
                   T(0), C.template view<Kokkos::LayoutLeft>());
        exec.fence();
        const unsigned after = _mm_getcsr();
        _mm_setcsr(ieee);
        CHECK(after == (ieee | flags));
      }
    }
#endif
}
