// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The kernels that are measured: operands, Abax' call and a peer's, and what the canon says of one element of the
/// result.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <cmath>

#include "backends/backend_for.hpp"
#include "prepared.hpp"

namespace abax::perf {

template <class Exec, class T, char Trans>
struct gemv_kernel {
  static constexpr bool in_place = false;
  static constexpr bool transposed = Trans == 'T';
  extents e;
  index_t rows, cols;  // of A as stored
  operand<Exec, T> A, x, result;

  gemv_kernel(const extents& e, int sets)
      : e(e),
        rows(transposed ? e.k : e.m),
        cols(transposed ? e.m : e.k),
        A(operand<Exec, T>::input("A", 1, e.m * e.k, sets)),
        x(operand<Exec, T>::input("x", 2, e.k, sets)),
        result(operand<Exec, T>::output("y", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::gemv(exec, transposed ? "T" : "N", T(1), A.matrix(set, rows, cols), x.vector(set), T(0), result.vector(set));
  }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.gemv(Trans, rows, cols, A.data(set), rows, x.data(set), out);
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
struct gemm_kernel {
  static constexpr bool in_place = false;
  static constexpr char trans_a[] = {TransA, 0}, trans_b[] = {TransB, 0};
  extents e;
  index_t rows_a, cols_a, rows_b, cols_b;  // as stored
  operand<Exec, T> A, B, result;

  gemm_kernel(const extents& e, int sets)
      : e(e),
        rows_a(TransA == 'N' ? e.m : e.k),
        cols_a(TransA == 'N' ? e.k : e.m),
        rows_b(TransB == 'N' ? e.k : e.n),
        cols_b(TransB == 'N' ? e.n : e.k),
        A(operand<Exec, T>::input("A", 1, e.m * e.k, sets)),
        B(operand<Exec, T>::input("B", 2, e.k * e.n, sets)),
        result(operand<Exec, T>::output("C", e.m * e.n, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::gemm(exec, trans_a, trans_b, T(1), A.matrix(set, rows_a, cols_a), B.matrix(set, rows_b, cols_b), T(0),
               result.matrix(set, e.m, e.n));
  }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.gemm(TransA, TransB, e.m, e.n, e.k, A.data(set), rows_a, B.data(set), rows_b, out, e.m);
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
struct dot_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> x, y, result;

  dot_kernel(const extents& e, int sets)
      : e(e),
        x(operand<Exec, T>::input("x", 1, e.k, sets)),
        y(operand<Exec, T>::input("y", 2, e.k, sets)),
        result(operand<Exec, T>::output("result", 1, sets)) {}

  void run(const Exec& exec, int set) const { abax::dot(exec, x.vector(set), y.vector(set), result.scalar(set)); }
  bool run(const routines<T>& peer, int set, T* out) const { return peer.dot(e.k, x.data(set), y.data(set), out); }
  T expected(index_t, index_t) const {
    return canonical_dot<T>(
        e.k, [](index_t p) { return input<T>(1, p); }, [](index_t p) { return input<T>(2, p); });
  }
};

template <class Exec, class T>
struct transpose_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> A, result;

  transpose_kernel(const extents& e, int sets)
      : e(e),
        A(operand<Exec, T>::input("A", 1, e.m * e.n, sets)),
        result(operand<Exec, T>::output("B", e.m * e.n, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::transpose(exec, A.matrix(set, e.n, e.m), result.matrix(set, e.m, e.n));
  }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.transpose(e.n, e.m, A.data(set), e.n, out, e.m);
  }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.n); }
};

/// Peers have nothing like it: theirs is beside it what goes from one matrix to another.
template <class Exec, class T>
struct transpose_in_place_kernel {
  static constexpr bool in_place = true;
  extents e;
  operand<Exec, T> result;

  transpose_in_place_kernel(const extents& e, int sets)
      : e(e), result(operand<Exec, T>::input("A", 1, e.m * e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::transpose(exec, result.matrix(set, e.m, e.m)); }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.transpose(e.m, e.m, result.data(set), e.m, out, e.m);
  }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.m); }
};

template <class Exec, class T>
struct copy_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> x, result;

  copy_kernel(const extents& e, int sets)
      : e(e), x(operand<Exec, T>::input("x", 1, e.m, sets)), result(operand<Exec, T>::output("y", e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::copy(exec, x.vector(set), result.vector(set)); }
  bool run(const routines<T>& peer, int set, T* out) const { return peer.copy(e.m, x.data(set), out); }
  T expected(index_t i, index_t) const { return input<T>(1, i); }
};

template <class Exec, class T>
struct triad_kernel {
  static constexpr bool in_place = false;
  static constexpr T alpha = 3;
  extents e;
  operand<Exec, T> x, y, result;

  triad_kernel(const extents& e, int sets)
      : e(e),
        x(operand<Exec, T>::input("x", 1, e.m, sets)),
        y(operand<Exec, T>::input("y", 2, e.m, sets)),
        result(operand<Exec, T>::output("z", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::triad(exec, alpha, x.vector(set), y.vector(set), result.vector(set));
  }
  bool run(const routines<T>&, int, T*) const { return false; }
  T expected(index_t i, index_t) const { return std::fma(alpha, input<T>(1, i), input<T>(2, i)); }
};

template <class Exec, class T>
struct increment_kernel {
  static constexpr bool in_place = true;
  extents e;
  operand<Exec, T> result;

  increment_kernel(const extents& e, int sets) : e(e), result(operand<Exec, T>::input("x", 1, e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::increment(exec, T(1), result.vector(set)); }
  bool run(const routines<T>&, int, T*) const { return false; }
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
struct launch_kernel {
  static constexpr bool in_place = false;
  struct primitives {
    static constexpr int team_size = 128, residents = 1;
    static constexpr std::size_t most_scratch = Own ? 64 << 10 : 0;
  };
  extents e;
  operand<Exec, T> result;

  launch_kernel(const extents& e, int sets) : e(e), result(operand<Exec, T>::output("x", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    backends::backend_for_t<Exec>::template launch<primitives>("abax-perf::launch", exec, static_cast<int>(e.m), 0,
                                                               number_teams<T>{result.data(set)});
  }
  bool run(const routines<T>& peer, int, T* out) const { return peer.launch(e.m, out); }
  T expected(index_t i, index_t) const { return static_cast<T>(i); }
};
template <class Exec, class T>
using launch_by_policy = launch_kernel<Exec, T, false>;
template <class Exec, class T>
using launch_of_own = launch_kernel<Exec, T, true>;

}  // namespace abax::perf
