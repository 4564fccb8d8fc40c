// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that flush subnormals or round upwards: a loaded fast-math library leaves them so. The bits stay the canon's
// and the threads' modes stay theirs.
#include <abax/abax.hpp>
#include <abax/serial.hpp>
#include <abax/team.hpp>
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

// Calls inside a kernel: products with terms and without, the sum of many blocks, a product that grows by stages.
template <class T, class A, class B, class C, class X, class Y, class U, class S>
struct in_kernel {
  using team = Kokkos::TeamPolicy<Kokkos::OpenMP>::member_type;
  using tile = abax::scratch_tile<T, 16, 16>;
  T alpha, beta;
  A a;
  B b;
  C by_team, by_thread, scaled_by_team, scaled_by_thread, by_stages;
  X x;
  Y y, scaled;
  U u, v;
  S sum;
  void operator()(const team& member) const {
    abax::team::gemm(member, alpha, a, b, beta, by_team);
    abax::serial::gemm(alpha, a, b, beta, by_thread);
    abax::team::gemm(member, T(0), a, b, alpha, scaled_by_team);
    abax::serial::gemm(T(0), a, b, alpha, scaled_by_thread);
    abax::team::gemv(member, alpha, a, x, beta, y);
    abax::team::gemv(member, T(0), a, x, alpha, scaled);
    sum(0) = abax::team::dot(member, u, v);
    abax::team::sums<team, tile, tile, 1> sums(member);
    const tile left(member.team_scratch(0)), right(member.team_scratch(0));
    for (int p = 0; p < 2; ++p) {
      const auto stage = std::pair<int, int>(16 * p, 16 * p + 16), all = std::pair<int, int>(0, 16);
      abax::team::copy(member, Kokkos::subview(a, all, stage), left);
      abax::team::copy(member, Kokkos::subview(b, stage, all), right);
      sums.add(left, right);
    }
    sums.store(alpha, beta, by_stages);
  }
};

}  // namespace
#endif

TEMPLATE_TEST_CASE("Calls inside a kernel have the canon's bits on threads that flush to zero or round otherwise",
                   "[environment][team][bits]", float, double) {
#ifdef ABAX_TEST_MODES
  using T = TestType;
  using Exec = Kokkos::OpenMP;
  const placement where = all_placements[2];
  const Exec exec(1);
  for (const numbers kind : {numbers::subnormal, numbers::unit}) {
    const index_t m = 21, n = 18, k = 32;
    const matrix<T> a = random_matrix<T>(m, k, kind, 1), b = random_matrix<T>(k, n, kind, 2),
                    c = random_matrix<T>(m, n, kind, 3), x = random_vector<T>(k, kind, 4),
                    y = random_vector<T>(m, kind, 5), u = random_vector<T>(100000, kind, 6), ones(100000, 1, T(1));
    for (const T alpha : {T(1), T(0.75), std::numeric_limits<T>::denorm_min()}) {
      const T beta = alpha == T(1) ? T(0.5) : T(0);
      const matrix<T> product = abax::reference::gemm('N', 'N', alpha, a, b, beta, c),
                      scaled = abax::reference::gemm('N', 'N', T(0), a, b, alpha, c),
                      vector = abax::reference::gemv('N', alpha, a, x, beta, y),
                      scaled_vector = abax::reference::gemv('N', T(0), a, x, alpha, y),
                      sum(1, 1, abax::reference::dot(u, ones));
      for (const unsigned mode : {flush, upwards}) {
        const operand<T, Exec> A(a, where), B(b, where), C(c, where), D(c, where), E(c, where), F(c, where),
            G(c, where), X(x, where), Y(y, where), Z(y, where), U(u, where), V(ones, where), S(matrix<T>(1, 1), where);
        const auto view = [](const auto& of) { return of.template view<Kokkos::LayoutLeft>(); };
        const auto column = [&](const auto& of) { return Kokkos::subview(view(of), Kokkos::ALL, 0); };
        const auto corner = Kokkos::subview(view(G), std::pair<int, int>(0, 16), std::pair<int, int>(0, 16));
        using matrices = decltype(view(A));
        using vectors = decltype(column(X));
        using kernel = in_kernel<T, matrices, matrices, matrices, vectors, vectors, vectors, vectors>;
        const kernel calls{alpha,  beta,      view(A),   view(B),   view(C),   view(D),   view(E),  view(F),
                           corner, column(X), column(Y), column(Z), column(U), column(V), column(S)};
        Kokkos::TeamPolicy<Exec> policy(exec, 1, 1);
        policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(2 * kernel::tile::shmem_size())));
        int others = 0;
        _mm_setcsr(mode);
        Kokkos::parallel_for("in_kernel", policy, calls);
        exec.fence();
        check_mode{mode, &others}(0);
        _mm_setcsr(ieee);
        CAPTURE(mode, name_of(kind), alpha);
        REQUIRE(others == 0);
        CHECK(C.difference_from(product) == "");
        CHECK(D.difference_from(product) == "");
        CHECK(E.difference_from(scaled) == "");
        CHECK(F.difference_from(scaled) == "");
        CHECK(Y.difference_from(vector) == "");
        CHECK(Z.difference_from(scaled_vector) == "");
        CHECK(S.difference_from(sum) == "");
        matrix<T> edge = c;
        for (index_t j = 0; j < 16; ++j)
          for (index_t i = 0; i < 16; ++i) edge(i, j) = product(i, j);
        CHECK(G.difference_from(edge) == "");
      }
    }
  }
#else
  SKIP("this build has no OpenMP threads whose mode the test can set");
#endif
}

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
