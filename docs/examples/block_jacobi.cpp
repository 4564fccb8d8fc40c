// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Solves A x = b by conjugate gradients with a block-Jacobi preconditioner: A couples the cells of a grid, and each
   cell has eight unknowns of its own. The blocks on A's diagonal are inverted, and applied in every step, by batches of
   small products: one call for all cells.

     $ c++ -std=c++20 -O2 -fopenmp block_jacobi.cpp -I$PREFIX/include -I$PREFIX/include/kokkos \
       -L$PREFIX/lib -labax -lkokkoscore -ldl -o block_jacobi

   With CUDA, or any other Kokkos: the CMakeLists.txt beside this file. */
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <cmath>
#include <cstdio>

constexpr int unknowns = 8, width = 60, height = 50, cells = width * height;

using vector = Kokkos::View<double*>;
using blocks = Kokkos::View<double***, Kokkos::LayoutRight>;  // cell, row, column

/// A vector, cell by cell.
auto by_cells(const vector& x) {
  return Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(x.data(), cells,
                                                                                              unknowns);
}

KOKKOS_FUNCTION int neighbours(int cell) {
  const int i = cell % width, j = cell / width;
  return (i > 0) + (i + 1 < width) + (j > 0) + (j + 1 < height);
}

/// The blocks on A's diagonal, symmetric and positive definite. Cells differ by a factor of 10^4 in stiffness.
void fill(const blocks& D) {
  Kokkos::parallel_for(
      "fill", cells, KOKKOS_LAMBDA(int c) {
        const double stiffness = 1 + 9999.0 * ((c * 7919) % cells) / cells;
        for (int i = 0; i < unknowns; ++i)
          for (int j = 0; j < unknowns; ++j) {
            const int distance = i < j ? j - i : i - j;
            D(c, i, j) = stiffness * (i == j ? 4 : 1.0 / (1 + distance + (c + i + j) % 3)) + (i == j) * neighbours(c);
          }
      });
}

/// X <- the inverses of D by Newton's iteration X <- 2 X - X D X: two products of all blocks a step.
void invert(const blocks& D, const blocks& X) {
  const blocks DX("D X", cells, unknowns, unknowns), next("next", cells, unknowns, unknowns);
  Kokkos::parallel_for(
      "begin", cells, KOKKOS_LAMBDA(int c) {  // D^T over the product of D's largest row and column sums converges
        double most = 0;
        for (int i = 0; i < unknowns; ++i) {
          double sum = 0;
          for (int j = 0; j < unknowns; ++j) sum += D(c, i, j) < 0 ? -D(c, i, j) : D(c, i, j);
          most = sum > most ? sum : most;
        }
        for (int i = 0; i < unknowns; ++i)
          for (int j = 0; j < unknowns; ++j) X(c, i, j) = D(c, j, i) / (most * most);
      });
  for (int step = 0; step < 20; ++step) {
    abax::gemm_batched("N", "N", 1.0, D, X, 0.0, DX);
    Kokkos::deep_copy(next, X);
    abax::gemm_batched("N", "N", -1.0, X, DX, 2.0, next);
    Kokkos::deep_copy(X, next);
  }
}

/// y <- A x: each cell's own block, less what its neighbours have.
void apply(const blocks& D, const vector& x, const vector& y) {
  abax::gemv_batched("N", 1.0, D, by_cells(x), 0.0, by_cells(y));
  Kokkos::parallel_for(
      "couple", cells, KOKKOS_LAMBDA(int c) {
        const int i = c % width, j = c / width;
        for (int u = 0; u < unknowns; ++u) {
          double sum = 0;
          if (i > 0) sum += x((c - 1) * unknowns + u);
          if (i + 1 < width) sum += x((c + 1) * unknowns + u);
          if (j > 0) sum += x((c - width) * unknowns + u);
          if (j + 1 < height) sum += x((c + width) * unknowns + u);
          y(c * unknowns + u) -= sum;
        }
      });
}

/// Steps until the residual is 10^-12 of what it was; x begins as zeros.
int solve(const blocks& D, const blocks* inverses, const vector& b, const vector& x) {
  const int n = cells * unknowns, most = 2000;
  const vector r("r", n), z("z", n), p("p", n), Ap("Ap", n);
  const auto precondition = [&] {
    if (inverses != nullptr)
      abax::gemv_batched("N", 1.0, *inverses, by_cells(r), 0.0, by_cells(z));
    else
      abax::copy(r, z);
  };
  abax::copy(b, r);
  precondition();
  abax::copy(z, p);
  double rz = abax::dot(r, z);
  const double enough = 1e-24 * abax::dot(r, r);
  int steps = 0;
  for (; abax::dot(r, r) > enough && steps < most; ++steps) {
    apply(D, p, Ap);
    const double alpha = rz / abax::dot(p, Ap);
    abax::axpby(alpha, p, 1.0, x);
    abax::axpby(-alpha, Ap, 1.0, r);
    precondition();
    const double next = abax::dot(r, z);
    abax::axpby(1.0, z, next / rz, p);  // p <- z + (next / rz) p
    rz = next;
  }
  return steps;
}

int run() {
  const int n = cells * unknowns;
  const blocks D("D", cells, unknowns, unknowns), inverses("inverses", cells, unknowns, unknowns);
  fill(D);
  invert(D, inverses);
  const vector ones("ones", n), b("b", n), x("x", n), y("y", n);
  Kokkos::deep_copy(ones, 1.0);
  apply(D, ones, b);  // so that the solution is all ones
  const int with = solve(D, &inverses, b, x), without = solve(D, nullptr, b, y);
  abax::increment(-1.0, x);
  const double error = std::sqrt(abax::dot(x, x) / n);
  const bool right = error < 1e-9 && 4 * with < without;
  std::printf("block_jacobi: %d unknowns, %d steps, %d without preconditioner, error %.1e: %s\n", n, with, without,
              error, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
