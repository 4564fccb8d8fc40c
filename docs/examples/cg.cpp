// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Solves A x = b by conjugate gradients, for a dense, symmetric, positive definite A. All vectors stay where the
   kernels run, on a GPU or on the cores; only two numbers a step come back.

     $ c++ -std=c++20 -O2 -fopenmp cg.cpp -I$PREFIX/include -I$PREFIX/include/kokkos \
       -L$PREFIX/lib -labax -lkokkoscore -ldl -o cg

   With CUDA, or any other Kokkos: the CMakeLists.txt beside this file. */
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <cmath>
#include <cstdio>

using vector = Kokkos::View<double*>;
using matrix = Kokkos::View<double**>;

/// x . y. The sum is the same to the last bit on every machine, and so is the number of steps below.
double dot(const vector& x, const vector& y, const Kokkos::View<double>& result) {
  abax::dot(x, y, result);
  double sum;
  Kokkos::deep_copy(sum, result);  // waits
  return sum;
}

int solve(int n) {
  // Entries fall off from the diagonal, which outweighs the rest of its row: A is positive definite.
  const matrix A("A", n, n);
  Kokkos::parallel_for(
      "fill_A", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {n, n}), KOKKOS_LAMBDA(int i, int j) {
        const int distance = i < j ? j - i : i - j;
        A(i, j) = distance == 0 ? 20 : 1.0 / distance;
      });
  const vector x("x", n), b("b", n), r("r", n), p("p", n), Ap("Ap", n);  // Views begin as zeros
  const Kokkos::View<double> result("result");
  Kokkos::deep_copy(p, 1.0);
  abax::gemv("N", 1.0, A, p, 0.0, b);  // b = A 1, so that the solution is all ones

  abax::copy(b, r);  // r = b - A x, and x is zero
  abax::copy(r, p);
  double rr = dot(r, r, result);
  const double enough = 1e-24 * rr;
  int steps = 0;
  for (; rr > enough && steps < n; ++steps) {
    abax::gemv("N", 1.0, A, p, 0.0, Ap);
    const double alpha = rr / dot(p, Ap, result);
    abax::axpby(alpha, p, 1.0, x);    // x <- x + alpha p
    abax::axpby(-alpha, Ap, 1.0, r);  // r <- r - alpha A p
    const double next = dot(r, r, result);
    abax::axpby(1.0, r, next / rr, p);  // p <- r + (next / rr) p
    rr = next;
  }

  abax::increment(-1.0, x);
  const double error = std::sqrt(dot(x, x, result) / n);
  const bool right = error < 1e-11;
  std::printf("cg: %d unknowns, %d steps, error %.1e: %s\n", n, steps, error, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return solve(1000);
}
