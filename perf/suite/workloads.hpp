// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The kernels that are measured: operands, Abax' call and a peer's, what the canon says of one element of the result,
/// and what a row of the table says of them.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <cmath>

#include "abax/detail/backends/backend_for.hpp"
#include "prepared.hpp"

namespace abax::perf {

/// Products: m x n outputs of k terms each.
template <class Exec, class T>
struct product : placed<Exec, T> {
  using placed<Exec, T>::placed;
  static double elements(const extents& e) { return 1.0 * e.m * e.k + 1.0 * e.k * e.n + 1.0 * e.m * e.n; }
  static double flops(const extents& e) { return 2.0 * e.m * e.n * e.k; }
};

template <class Exec, class T, char Trans>
struct gemv_kernel : product<Exec, T> {
  using product<Exec, T>::product, product<Exec, T>::e;
  static constexpr bool transposed = Trans == 'T';
  static constexpr roof bound = roof::read;
  static constexpr form written = transposed ? "km" : "mk";
  index_t rows = transposed ? e.k : e.m, cols = transposed ? e.m : e.k;  // of A as stored
  operand<Exec, T> A = this->in(1, e.m*e.k), x = this->in(2, e.k), result = this->out(e.m);

  void run(const Exec& exec, int set) const {
    abax::gemv(exec, transposed ? "T" : "N", T(1), A.matrix(set, rows, cols), x.vector(set), T(0), result.vector(set));
  }
  bool ask(const routines<T>& peer, int set, T* y) const {
    return peer.gemv(Trans, rows, cols, A.data(set), x.data(set), y);
  }
  T expected(index_t i, index_t) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, transposed ? p + i * e.k : i + p * e.m); },
        [](index_t p) { return input<T>(2, p); });
  }
};
template <class Exec, class T>
using gemv_n = gemv_kernel<Exec, T, 'N'>;
template <class Exec, class T>
using gemv_t = gemv_kernel<Exec, T, 'T'>;

template <class Exec, class T, char TransA, char TransB>
struct gemm_kernel : product<Exec, T> {
  using product<Exec, T>::product, product<Exec, T>::e;
  static constexpr roof bound = roof::fma;
  static constexpr form written = "mnk";
  static constexpr char trans_a[] = {TransA, 0}, trans_b[] = {TransB, 0};
  operand<Exec, T> A = this->in(1, e.m*e.k), B = this->in(2, e.k*e.n), result = this->out(e.m * e.n);

  void run(const Exec& exec, int set) const {
    const auto a = TransA == 'N' ? A.matrix(set, e.m, e.k) : A.matrix(set, e.k, e.m);
    const auto b = TransB == 'N' ? B.matrix(set, e.k, e.n) : B.matrix(set, e.n, e.k);
    abax::gemm(exec, trans_a, trans_b, T(1), a, b, T(0), result.matrix(set, e.m, e.n));
  }
  bool ask(const routines<T>& peer, int set, T* c) const {
    return peer.gemm(TransA, TransB, e.m, e.n, e.k, A.data(set), B.data(set), c);
  }
  T expected(index_t i, index_t j) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, TransA == 'N' ? i + p * e.m : p + i * e.k); },
        [&](index_t p) { return input<T>(2, TransB == 'N' ? p + j * e.k : j + p * e.n); });
  }
};
template <class Exec, class T>
using gemm_nn = gemm_kernel<Exec, T, 'N', 'N'>;
template <class Exec, class T>
using gemm_nt = gemm_kernel<Exec, T, 'N', 'T'>;
template <class Exec, class T>
using gemm_tn = gemm_kernel<Exec, T, 'T', 'N'>;
template <class Exec, class T>
using gemm_tt = gemm_kernel<Exec, T, 'T', 'T'>;

template <class Exec, class T>
struct dot_kernel : product<Exec, T> {
  using product<Exec, T>::product, product<Exec, T>::e;
  static constexpr roof bound = roof::read;
  static constexpr form written = "k";
  operand<Exec, T> x = this->in(1, e.k), y = this->in(2, e.k), result = this->out(1);

  static double elements(const extents& e) { return 2.0 * e.k; }
  void run(const Exec& exec, int set) const { abax::dot(exec, x.vector(set), y.vector(set), result.scalar(set)); }
  bool ask(const routines<T>& peer, int set, T* sum) const { return peer.dot(e.k, x.data(set), y.data(set), sum); }
  T expected(index_t, index_t) const {
    return canonical_reduction<T>(
        e.k, [](index_t p) { return input<T>(1, p); }, [](index_t p) { return input<T>(2, p); });
  }
};

template <class Exec, class T>
struct transpose_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "mn";
  operand<Exec, T> A = this->in(1, e.m*e.n), result = this->out(e.m * e.n);

  static double elements(const extents& e) { return 2.0 * e.m * e.n; }
  void run(const Exec& exec, int set) const {
    abax::transpose(exec, A.matrix(set, e.n, e.m), result.matrix(set, e.m, e.n));
  }
  bool ask(const routines<T>& peer, int set, T* b) const { return peer.transpose(e.n, e.m, A.data(set), b); }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.n); }
};

/// Peers have nothing like it: theirs is beside it what goes from one matrix to another.
template <class Exec, class T>
struct transpose_in_place_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr bool in_place = true;
  static constexpr roof bound = roof::update;
  static constexpr form written = "s";
  operand<Exec, T> result = this->in(1, e.m* e.m);

  static double elements(const extents& e) { return 2.0 * e.m * e.m; }
  void run(const Exec& exec, int set) const { abax::transpose(exec, result.matrix(set, e.m, e.m)); }
  bool ask(const routines<T>& peer, int set, T* b) const { return peer.transpose(e.m, e.m, result.data(set), b); }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.m); }
};

template <class Exec, class T>
struct copy_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "m";
  operand<Exec, T> x = this->in(1, e.m), result = this->out(e.m);

  static double elements(const extents& e) { return 2.0 * e.m; }
  void run(const Exec& exec, int set) const { abax::copy(exec, x.vector(set), result.vector(set)); }
  bool ask(const routines<T>& peer, int set, T* y) const { return peer.copy(e.m, x.data(set), y); }
  T expected(index_t i, index_t) const { return input<T>(1, i); }
};

template <class Exec, class T>
struct triad_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr roof bound = roof::combine;
  static constexpr form written = "m";
  static constexpr T alpha = 3;
  operand<Exec, T> x = this->in(1, e.m), y = this->in(2, e.m), result = this->out(e.m);

  static double elements(const extents& e) { return 3.0 * e.m; }
  static double flops(const extents& e) { return 2.0 * e.m; }
  void run(const Exec& exec, int set) const {
    abax::triad(exec, alpha, x.vector(set), y.vector(set), result.vector(set));
  }
  T expected(index_t i, index_t) const { return std::fma(alpha, input<T>(1, i), input<T>(2, i)); }
};

template <class Exec, class T>
struct increment_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr bool in_place = true;
  static constexpr roof bound = roof::update;
  static constexpr form written = "m";
  operand<Exec, T> result = this->in(1, e.m);

  static double elements(const extents& e) { return 2.0 * e.m; }
  static double flops(const extents& e) { return 1.0 * e.m; }
  void run(const Exec& exec, int set) const { abax::increment(exec, T(1), result.vector(set)); }
  T expected(index_t i, index_t) const { return input<T>(1, i) + T(1); }
};

/// A team writes its number: a launch, and next to nothing else. With more scratch than a policy gives, the backend's
/// own launch is taken where it has one.
template <class T>
struct number_teams {
  T* x;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.team_rank() == 0) x[team.league_rank()] = static_cast<T>(team.league_rank());
  }
};
template <class Exec, class T, bool Own>
struct launch_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "m";
  struct primitives {
    static constexpr int team_size = 128, residents = 1;
    static constexpr std::size_t most_scratch = Own ? 64 << 10 : 0;
  };
  operand<Exec, T> result = this->out(e.m);

  static double elements(const extents& e) { return 1.0 * e.m; }
  void run(const Exec& exec, int set) const {
    backends::backend_for_t<Exec>::template launch<primitives>("abax-perf::launch", exec, static_cast<int>(e.m), 0,
                                                               number_teams<T>{result.data(set)});
  }
  bool ask(const routines<T>& peer, int, T* x) const { return peer.launch(e.m, x); }
  T expected(index_t i, index_t) const { return static_cast<T>(i); }
};
template <class Exec, class T>
using launch_by_policy = launch_kernel<Exec, T, false>;
template <class Exec, class T>
using launch_of_own = launch_kernel<Exec, T, true>;

}  // namespace abax::perf
