// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The largest eigenvalues of a symmetric matrix by block power iteration: X <- A X, again and again, with the columns
   of X made orthonormal after each step. Nearly all operations are in products of matrices.

     $ c++ -std=c++20 -O2 -fopenmp eigenvalues.cpp -I$PREFIX/include -I$PREFIX/include/kokkos \
       -L$PREFIX/lib -labax -lkokkoscore -ldl -o eigenvalues

   With CUDA, or any other Kokkos: the CMakeLists.txt beside this file. */
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <cmath>
#include <cstdio>

using matrix = Kokkos::View<double**>;

constexpr int n = 1200, columns = 6, steps = 30;

/// The largest are 20, 19, ..., 15; all others are below 1.
KOKKOS_FUNCTION double eigenvalue(int k) { return k < columns ? 20.0 - k : double(k) / n; }

/// The columns of Y, made orthonormal, in X: Y^T Y = L L^T, and X = Y (L^-1)^T. L is small, and made on the host.
void orthonormalise(const matrix& Y, const matrix& small, const matrix& X) {
  abax::gemm("T", "N", 1.0, Y, Y, 0.0, small);
  const auto G = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), small);
  double L[columns][columns] = {};
  for (int j = 0; j < columns; ++j)
    for (int i = j; i < columns; ++i) {
      double sum = G(i, j);
      for (int p = 0; p < j; ++p) sum -= L[i][p] * L[j][p];
      L[i][j] = i == j ? std::sqrt(sum) : sum / L[j][j];
    }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < columns; ++i) {  // column j of L^-1, from the top
      double sum = i == j ? 1 : 0;
      for (int p = 0; p < i; ++p) sum -= L[i][p] * G(p, j);
      G(i, j) = sum / L[i][i];
    }
  Kokkos::deep_copy(small, G);
  abax::gemm("N", "T", 1.0, Y, small, 0.0, X);
}

int find() {
  // A = Q D Q, where D is diagonal, and Q = 1 - 2 v v^T / v.v orthogonal: A's eigenvalues are the entries of D.
  const matrix A("A", n, n), X("X", n, columns), Y("Y", n, columns), small("small", columns, columns);
  double vDv = 0;  // v is all ones
  for (int k = 0; k < n; ++k) vDv += eigenvalue(k);
  Kokkos::parallel_for(
      "fill_A", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {n, n}), KOKKOS_LAMBDA(int i, int j) {
        const double Dv = eigenvalue(i), vD = eigenvalue(j);
        A(i, j) = (i == j ? eigenvalue(i) : 0) - 2.0 / n * (Dv + vD) + 4.0 / n / n * vDv;
      });
  Kokkos::parallel_for(
      "fill_Y", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {n, columns}),
      KOKKOS_LAMBDA(int i, int j) { Y(i, j) = Kokkos::sin(i * (j + 1) + 1.0); });

  for (int step = 0; step < steps; ++step) {
    orthonormalise(Y, small, X);
    abax::gemm("N", "N", 1.0, A, X, 0.0, Y);
  }
  abax::gemm("T", "N", 1.0, X, Y, 0.0, small);  // X^T A X: its trace is the eigenvalues' sum
  const auto H = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), small);
  double sum = 0, wanted = 0;
  for (int j = 0; j < columns; ++j) {
    sum += H(j, j);
    wanted += eigenvalue(j);
  }
  const bool right = std::abs(sum - wanted) < 1e-9;
  std::printf("eigenvalues: the %d largest of %d sum up to %.10f: %s\n", columns, n, sum, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return find();
}
