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

/// Products: m x n outputs of k terms each, C <- alpha op(A) op(B) + beta C.
template <class Exec, class T>
struct product : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  tile::real_of<T> real_alpha = static_cast<tile::real_of<T>>(e.lies.alpha),
                   real_beta = static_cast<tile::real_of<T>>(e.lies.beta);
  T alpha = T(real_alpha), beta = T(real_beta);

  static double elements(const extents& e) { return 1.0 * e.m * e.k + 1.0 * e.k * e.n + 1.0 * e.m * e.n; }
  static double flops(const extents& e) { return multiply_add_flops<T> * e.m * e.n * e.k; }
};

template <class Exec, class T, char Trans>
struct gemv_kernel : product<Exec, T> {
  using base = product<Exec, T>;
  using base::base, base::e, base::alpha, base::beta;
  static constexpr bool scaled = true;
  static constexpr bool transposed = Trans != 'N', conjugated = Trans == 'C';
  static constexpr char trans[] = {Trans, 0};
  static constexpr roof bound = roof::read;
  static constexpr form written = transposed ? "km" : "mk";
  static std::vector<lines> operands(const extents& e) {
    return {base::matrix_lines(e, 0, transposed ? e.k : e.m, transposed ? e.m : e.k), base::vector_lines(e, 1, e.k),
            base::vector_lines(e, 2, e.m)};
  }
  std::vector<lines> all = operands(e);
  operand<Exec, T> A = this->in(1, all[0]), x = this->in(2, all[1]), result = this->updated(3, all[2]);
  bool along_y = transposed == e.lies.by_rows;  // lines of A

  void run(const Exec& exec, int set) const {
    abax::gemv(exec, trans, viewed_number(alpha), A.matrix(set, e.lies.by_rows), x.vector(set), viewed_number(beta),
               result.vector(set));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& y) const {
    if (conjugated && along_y) return false;  // conj(A) x of columns: BLAS has none
    constexpr char op = conjugated ? 'C' : 'T';
    return peer.gemv(along_y ? 'N' : op, A.lie().length, A.lie().count, alpha, A.data(set), A.leading(), x.data(set),
                     beta, y.data(set));
  }
  tile::product<T> problem(int set) const {
    const tile::matrix<const T> a = A.strided(set);
    tile::product<T> p{along_y ? a : a.transposed(), x.strided(set), result.template strided<T>(set), {alpha, beta}};
    p.conjugated_a = conjugated;
    return p;
  }
  T expected(index_t i, index_t) const {
    const T sum = canonical_dot<T>(
        e.k,
        [&](index_t p) { return tile::conjugate_if(conjugated, input<T>(1, along_y ? i + p * e.m : p + i * e.k)); },
        [](index_t p) { return input<T>(2, p); });
    return canonical_end<T>(alpha, sum, beta, input<T>(3, i));
  }
};
template <class Exec, class T>
using gemv_n = gemv_kernel<Exec, T, 'N'>;
template <class Exec, class T>
using gemv_t = gemv_kernel<Exec, T, 'T'>;
template <class Exec, class T>
using gemv_c = gemv_kernel<Exec, T, 'C'>;

template <class Exec, class T, char TransA, char TransB>
struct gemm_kernel : product<Exec, T> {
  using base = product<Exec, T>;
  using base::base, base::e, base::alpha, base::beta;
  static constexpr bool scaled = true;
  static constexpr roof bound = roof::fma;
  static constexpr form written = "mnk";
  static constexpr char trans_a[] = {TransA, 0}, trans_b[] = {TransB, 0};
  static std::vector<lines> operands(const extents& e) {
    return {base::matrix_lines(e, 0, TransA == 'N' ? e.m : e.k, TransA == 'N' ? e.k : e.m),
            base::matrix_lines(e, 1, TransB == 'N' ? e.k : e.n, TransB == 'N' ? e.n : e.k),
            base::matrix_lines(e, 2, e.m, e.n)};
  }
  std::vector<lines> all = operands(e);
  operand<Exec, T> A = this->in(1, all[0]), B = this->in(2, all[1]), result = this->updated(3, all[2]);
  bool by_rows = e.lies.by_rows;
  bool along_m = (TransA == 'N') != by_rows, along_n = (TransB != 'N') != by_rows;  // lines of A, and of B

  void run(const Exec& exec, int set) const {
    abax::gemm(exec, trans_a, trans_b, viewed_number(alpha), A.matrix(set, by_rows), B.matrix(set, by_rows),
               viewed_number(beta), result.matrix(set, by_rows));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& c) const {
    if (by_rows)  // C^T = op(B)^T op(A)^T
      return peer.gemm(TransB, TransA, e.n, e.m, e.k, alpha, B.data(set), B.leading(), A.data(set), A.leading(), beta,
                       c.data(set), c.leading());
    return peer.gemm(TransA, TransB, e.m, e.n, e.k, alpha, A.data(set), A.leading(), B.data(set), B.leading(), beta,
                     c.data(set), c.leading());
  }
  tile::product<T> problem(int set) const {
    const tile::matrix<const T> a = A.strided(set), b = B.strided(set);
    const tile::matrix<T> c = result.template strided<T>(set);
    tile::product<T> p{
        along_m ? a : a.transposed(), along_n ? b.transposed() : b, by_rows ? c.transposed() : c, {alpha, beta}};
    p.conjugated_a = TransA == 'C';
    p.conjugated_b = TransB == 'C';
    return p;
  }
  /// op(A)(i, p), op(B)(p, j), and C(i, j) before the call.
  T a_at(index_t i, index_t p) const {
    return tile::conjugate_if(TransA == 'C', input<T>(1, along_m ? i + p * e.m : p + i * e.k));
  }
  T b_at(index_t p, index_t j) const {
    return tile::conjugate_if(TransB == 'C', input<T>(2, along_n ? j + p * e.n : p + j * e.k));
  }
  T c_at(index_t i, index_t j) const { return input<T>(3, by_rows ? j + i * e.n : i + j * e.m); }
  T expected(index_t i, index_t j) const {
    const T sum = canonical_dot<T>(
        e.k, [&](index_t p) { return a_at(i, p); }, [&](index_t p) { return b_at(p, j); });
    return canonical_end<T>(alpha, sum, beta, c_at(i, j));
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
using gemm_nc = gemm_kernel<Exec, T, 'N', 'C'>;
template <class Exec, class T>
using gemm_cn = gemm_kernel<Exec, T, 'C', 'N'>;

/// One triangle of A A^T, or of A^T A: that which is the lower one of the memory's columns. herk's, of A A^H or of A^H
/// A (Trans 'C'), is the same with conjugates, and a diagonal without an imaginary part.
template <class Exec, class T, char Trans, bool Hermitian = false>
struct syrk_kernel : product<Exec, T> {
  using base = product<Exec, T>;
  using base::base, base::e, base::alpha, base::beta, base::real_alpha, base::real_beta;
  static constexpr bool scaled = true;
  static constexpr roof bound = roof::fma;
  static constexpr form written = "sk";
  static constexpr char trans[] = {Trans, 0};
  static std::vector<lines> operands(const extents& e) {
    lines triangle = base::matrix_lines(e, 1, e.n, e.n);
    triangle.from_diagonal = true;
    return {base::matrix_lines(e, 0, Trans == 'N' ? e.n : e.k, Trans == 'N' ? e.k : e.n), triangle};
  }
  std::vector<lines> all = operands(e);
  operand<Exec, T> A = this->in(1, all[0]), result = this->updated(3, all[1]);
  bool by_rows = e.lies.by_rows;
  bool along_n = (Trans == 'N') != by_rows;  // lines of A

  static double elements(const extents& e) { return 1.0 * e.n * e.k + 0.5 * e.n * (e.n + 1); }
  static double flops(const extents& e) { return multiply_add_flops<T> / 2 * e.n * (e.n + 1) * e.k; }
  void run(const Exec& exec, int set) const {
    const char* const part = by_rows ? "U" : "L";
    if constexpr (Hermitian)
      abax::herk(exec, part, trans, real_alpha, A.matrix(set, by_rows), real_beta, result.matrix(set, by_rows));
    else
      abax::syrk(exec, part, trans, viewed_number(alpha), A.matrix(set, by_rows), viewed_number(beta),
                 result.matrix(set, by_rows));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& c) const {
    if (Hermitian)  // by rows C^T = conj(A) A^T, A^T as the memory's columns have it
      return peer.herk('L', along_n ? 'N' : 'C', e.n, e.k, real_alpha, A.data(set), A.leading(), real_beta, c.data(set),
                       c.leading());
    return peer.syrk('L', along_n ? 'N' : 'T', e.n, e.k, alpha, A.data(set), A.leading(), beta, c.data(set),
                     c.leading());
  }
  tile::product<T> problem(int set) const requires(!tile::is_complex<T>) {
    const tile::matrix<const T> a = along_n ? A.strided(set) : A.strided(set).transposed();
    return {a, a.transposed(), {result.template strided<T>(set), tile::triangle::lower}, {alpha, beta}};
  }
  T expected(index_t i, index_t j) const {
    const auto of_a = [&](index_t row, bool conjugated) {
      return [=, this](index_t p) {
        return tile::conjugate_if(conjugated, input<T>(1, along_n ? row + p * e.n : p + row * e.k));
      };
    };
    const T sum = canonical_dot<T>(e.k, of_a(i, Trans == 'C'), of_a(j, Hermitian && Trans == 'N'));
    T c = input<T>(3, by_rows ? j + i * e.n : i + j * e.n);
    if constexpr (Hermitian)
      if (i == j) return {canonical_end<T>(alpha, sum, beta, {c.re, 0}).re, 0};
    return canonical_end<T>(alpha, sum, beta, c);
  }
};
template <class Exec, class T>
using syrk_n = syrk_kernel<Exec, T, 'N'>;
template <class Exec, class T>
using syrk_t = syrk_kernel<Exec, T, 'T'>;
template <class Exec, class T>
using herk_n = syrk_kernel<Exec, T, 'N', true>;
template <class Exec, class T>
using herk_c = syrk_kernel<Exec, T, 'C', true>;

template <class Exec, class T, bool Conjugated>
struct dot_of_vectors : product<Exec, T> {
  using base = product<Exec, T>;
  using base::base, base::e;
  static constexpr roof bound = roof::read;
  static constexpr form written = "k";
  static std::vector<lines> operands(const extents& e) {
    return {base::vector_lines(e, 0, e.k), base::vector_lines(e, 1, e.k), base::vector_lines(e, 2, 1)};
  }
  std::vector<lines> all = operands(e);
  operand<Exec, T> x = this->in(1, all[0]), y = this->in(2, all[1]), result = this->out(all[2]);

  static double elements(const extents& e) { return 2.0 * e.k; }
  void run(const Exec& exec, int set) const {
    if constexpr (Conjugated)
      abax::dotc(exec, x.vector(set), y.vector(set), result.scalar(set));
    else
      abax::dot(exec, x.vector(set), y.vector(set), result.scalar(set));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& sum) const {
    return Conjugated ? peer.dotc(e.k, x.data(set), y.data(set), sum.data(set))
                      : peer.dot(e.k, x.data(set), y.data(set), sum.data(set));
  }
  tile::reduction<tile::dot<T>> problem(int set) const requires(!tile::is_complex<T>) {
    return {{{{{x.data(set), e.k, 1}, {y.data(set), e.k, 1}}}}, result.data(set)};
  }
  T expected(index_t, index_t) const {
    return canonical_reduction<T>(
        e.k, [](index_t p) { return tile::conjugate_if(Conjugated, input<T>(1, p)); },
        [](index_t p) { return input<T>(2, p); });
  }
};
template <class Exec, class T>
using dot_kernel = dot_of_vectors<Exec, T, false>;
template <class Exec, class T>
using dotc_kernel = dot_of_vectors<Exec, T, true>;

template <class Exec, class T, bool Conjugated>
struct transpose_of_matrix : placed<Exec, T> {
  using base = placed<Exec, T>;
  using base::base, base::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "mn";
  static std::vector<lines> operands(const extents& e) {
    return {base::matrix_lines(e, 0, e.n, e.m), base::matrix_lines(e, 1, e.m, e.n)};
  }
  std::vector<lines> all = operands(e);
  operand<Exec, T> A = this->in(1, all[0]), result = this->out(all[1]);

  static double elements(const extents& e) { return 2.0 * e.m * e.n; }
  void run(const Exec& exec, int set) const {
    if constexpr (Conjugated)
      abax::conjugate_transpose(exec, A.matrix(set, e.lies.by_rows), result.matrix(set, e.lies.by_rows));
    else
      abax::transpose(exec, A.matrix(set, e.lies.by_rows), result.matrix(set, e.lies.by_rows));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& b) const {
    return peer.transpose(Conjugated ? 'C' : 'T', A.lie().length, A.lie().count, A.data(set), A.leading(), b.data(set),
                          b.leading());
  }
  tile::transpose<T> problem(int set) const requires(!tile::is_complex<T>) {
    return {A.strided(set), result.template strided<T>(set).transposed()};
  }
  T expected(index_t i, index_t j) const {
    return tile::conjugate_if(Conjugated, input<T>(1, e.lies.by_rows ? i + j * e.m : j + i * e.n));
  }
};
template <class Exec, class T>
using transpose_kernel = transpose_of_matrix<Exec, T, false>;
template <class Exec, class T>
using conjugate_transpose_kernel = transpose_of_matrix<Exec, T, true>;

/// Peers have nothing like it: theirs is beside it what goes from one matrix to another.
template <class Exec, class T>
struct transpose_in_place_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr bool in_place = true;
  static constexpr roof bound = roof::update;
  static constexpr form written = "s";
  operand<Exec, T> result = this->in(1, {e.m, e.m});

  static double elements(const extents& e) { return 2.0 * e.m * e.m; }
  void run(const Exec& exec, int set) const { abax::transpose(exec, result.matrix(set, false)); }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& b) const {
    return peer.transpose('T', e.m, e.m, result.data(set), e.m, b.data(set), e.m);
  }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.m); }
};

/// Batches of square products, C <- A B for n items of k x k: dense one after another, or neighbours in memory.
template <class Exec, class T, bool Interleaved>
struct gemm_batched_kernel : placed<Exec, T> {
  using placed<Exec, T>::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "kn";
  index_t items, size = e.k, item = size * size;
  lines all = Interleaved ? lines{items, item} : lines{item, items};
  operand<Exec, T> A = this->in(1, all), B = this->in(2, all), result = this->out(all);

  /// The result is a matrix to the suite: an item a column, or a row where items are neighbours.
  gemm_batched_kernel(const extents& of, int sets)
      : placed<Exec, T>(Interleaved ? extents{of.n, of.k * of.k, of.k} : extents{of.k * of.k, of.n, of.k}, sets),
        items(of.n) {}
  static double elements(const extents& e) { return 3.0 * e.k * e.k * e.n; }
  static double flops(const extents& e) { return multiply_add_flops<T> * e.k * e.k * e.k * e.n; }
  auto matrices(const operand<Exec, T>& of, int set) const {
    using view =
        Kokkos::View<viewed_t<T>***, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    const std::size_t n = items, k = size;
    return view(of.elements(set),
                Interleaved ? Kokkos::LayoutStride(n, 1, k, n, k, n * k) : Kokkos::LayoutStride(n, k * k, k, 1, k, k));
  }
  void run(const Exec& exec, int set) const {
    abax::gemm_batched(exec, "N", "N", viewed_number(T(1)), matrices(A, set), matrices(B, set), viewed_number(T(0)),
                       matrices(result, set));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& c) const {
    return !Interleaved && peer.gemm_batched(size, items, A.data(set), B.data(set), c.data(set));
  }
  T expected(index_t i, index_t j) const {
    const index_t at = Interleaved ? i : j, element = Interleaved ? j : i, row = element % size, col = element / size;
    const auto place = [&](index_t in_item) { return Interleaved ? at + in_item * items : at * item + in_item; };
    return canonical_dot<T>(
        size, [&](index_t p) { return input<T>(1, place(row + p * size)); },
        [&](index_t p) { return input<T>(2, place(p + col * size)); });
  }
};
template <class Exec, class T>
using gemm_batched_dense = gemm_batched_kernel<Exec, T, false>;
template <class Exec, class T>
using gemm_batched_interleaved = gemm_batched_kernel<Exec, T, true>;

/// y <- A x for n items of k x k.
template <class Exec, class T>
struct gemv_batched_kernel : placed<Exec, T> {
  using placed<Exec, T>::e;
  static constexpr roof bound = roof::read;
  static constexpr form written = "kn";
  operand<Exec, T> A = this->in(1, {e.k * e.k, e.n}), x = this->in(2, {e.k, e.n}), result = this->out({e.k, e.n});

  gemv_batched_kernel(const extents& of, int sets) : placed<Exec, T>({of.k, of.n, of.k}, sets) {}
  static double elements(const extents& e) { return 1.0 * e.k * (e.k + 2) * e.n; }
  static double flops(const extents& e) { return 2.0 * e.k * e.k * e.n; }
  void run(const Exec& exec, int set) const {
    using view = Kokkos::View<T***, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    const std::size_t n = e.n, k = e.k;
    abax::gemv_batched(exec, "N", T(1), view(A.data(set), Kokkos::LayoutStride(n, k * k, k, 1, k, k)),
                       x.matrix(set, true), T(0), result.matrix(set, true));
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& y) const {
    return peer.gemv_batched(e.k, e.n, A.data(set), x.data(set), y.data(set));
  }
  T expected(index_t i, index_t j) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, (j * e.k + p) * e.k + i); },
        [&](index_t p) { return input<T>(2, j * e.k + p); });
  }
};

template <class Exec, class T>
struct copy_kernel : placed<Exec, T> {
  using base = placed<Exec, T>;
  using base::base, base::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "m";
  static std::vector<lines> operands(const extents& e) {
    return {base::vector_lines(e, 0, e.m), base::vector_lines(e, 1, e.m)};
  }
  std::vector<lines> all = operands(e);
  operand<Exec, T> x = this->in(1, all[0]), result = this->out(all[1]);

  static double elements(const extents& e) { return 2.0 * e.m; }
  void run(const Exec& exec, int set) const { abax::copy(exec, x.vector(set), result.vector(set)); }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& y) const {
    return peer.copy(e.m, x.data(set), y.data(set));
  }
  T expected(index_t i, index_t) const { return input<T>(1, i); }
};

template <class Exec, class T>
struct triad_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr roof bound = roof::combine;
  static constexpr form written = "m";
  static constexpr T alpha = 3;
  operand<Exec, T> x = this->in(1, {e.m, 1}), y = this->in(2, {e.m, 1}), result = this->out({e.m, 1});

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
  operand<Exec, T> result = this->in(1, {e.m, 1});

  static double elements(const extents& e) { return 2.0 * e.m; }
  static double flops(const extents& e) { return 1.0 * e.m; }
  void run(const Exec& exec, int set) const { abax::increment(exec, T(1), result.vector(set)); }
  T expected(index_t i, index_t) const { return input<T>(1, i) + T(1); }
};

/// A team writes its number: a launch, and next to nothing else.
template <class T>
struct number_teams {
  T* x;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.team_rank() == 0) x[team.league_rank()] = static_cast<T>(team.league_rank());
  }
};
/// Through Kokkos' TeamPolicy, or as the backend launches its kernels.
template <class Exec, class T, bool ByPolicy>
struct launch_kernel : placed<Exec, T> {
  using placed<Exec, T>::placed, placed<Exec, T>::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "m";
  struct primitives {
    static constexpr int team_size = 128, residents = 1;
  };
  operand<Exec, T> result = this->out({e.m, 1});

  static double elements(const extents& e) { return 1.0 * e.m; }
  void run(const Exec& exec, int set) const {
    constexpr const char* label = "abax-perf::launch";
    const auto teams = static_cast<int>(e.m);
    const number_teams<T> work{result.data(set)};
    if constexpr (ByPolicy) {
      constexpr bool on_host = Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, on_host ? 1 : primitives::team_size), work);
    } else {
      backends::backend_for_t<Exec>::template launch<primitives>(label, exec, teams, 0, work);
    }
  }
  bool ask(const routines<T>& peer, int set, const operand<Exec, T>& x) const { return peer.launch(e.m, x.data(set)); }
  T expected(index_t i, index_t) const { return static_cast<T>(i); }
};
template <class Exec, class T>
using launch_by_policy = launch_kernel<Exec, T, true>;
template <class Exec, class T>
using launch_of_own = launch_kernel<Exec, T, false>;

}  // namespace abax::perf
