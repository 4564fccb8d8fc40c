// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A user's program: kernels of its own write Views, Abax computes on them, and a reduction of its own counts the
/// elements of the results that are wrong.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <cstdio>
#include <string>
#include <utility>

#include "launch/gemm.hpp"
#include "team/product.hpp"

using matrix = Kokkos::View<double**>;
using vector = Kokkos::View<double*>;
using two_dimensions = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;

// Small whole numbers, so that every product and sum below is exact.
KOKKOS_FUNCTION double a(int i, int p) { return (3 * i + p) % 7 - 3; }
KOKKOS_FUNCTION double b(int p, int j) { return (p + 5 * j) % 9 - 4; }

/// A functor has Views as members.
struct write_numbers {
  matrix B;
  KOKKOS_FUNCTION void operator()(int p, int j) const { B(p, j) = b(p, j); }
};

/// Elements of `result` that are not what want(i, j) says; a lambda captures both.
template <class View, class Want>
int wrong_elements(const char* name, const View& result, const Want& want) {
  int wrong = -1;
  const long rows = result.extent(0), cols = result.extent(1);
  Kokkos::parallel_reduce(
      "wrong_elements", two_dimensions({0, 0}, {rows, cols}),
      KOKKOS_LAMBDA(int i, int j, int& count) { count += result(i, j) != want(i, j); }, wrong);
  std::printf("%s: %d of %ld elements are wrong\n", name, wrong, rows * cols);
  return wrong;
}

int run() {
  const int m = 150, n = 70, k = 95;
  const matrix A("A", m, k), B("B", k, n), C("C", m, n), At("At", k, m), frame("frame", m + 4, n + 3);
  const vector y("y", m);
  const Kokkos::View<double> r("r");

  // On one instance everything runs in order: kernels, Abax and fills.
  const Kokkos::DefaultExecutionSpace exec;
  Kokkos::parallel_for(
      "write_A", two_dimensions(exec, {0, 0}, {m, k}), KOKKOS_LAMBDA(int i, int p) { A(i, p) = a(i, p); });
  Kokkos::parallel_for("write_B", two_dimensions(exec, {0, 0}, {k, n}), write_numbers{B});
  Kokkos::deep_copy(exec, C, 0.5);
  Kokkos::deep_copy(exec, frame, -1.0);

  abax::gemm(exec, "N", "N", 2.0, A, B, 4.0, C);  // C <- 2 A B + 4 C
  abax::transpose(exec, A, At);                   // At <- A^T
  const auto inner = Kokkos::subview(frame, std::pair(1, m + 1), std::pair(2, n + 2));
  Kokkos::deep_copy(exec, inner, 3.0);
  abax::gemm(exec, "T", "N", 1.0, At, B, -1.0, inner);  // a part of a matrix <- A B - itself
  const auto column = Kokkos::subview(B, Kokkos::ALL, 1);
  const auto row = Kokkos::subview(A, 2, Kokkos::ALL);
  abax::gemv(exec, "N", 1.0, A, column, 0.0, y);                       // y <- A B(:, 1)
  abax::axpby(exec, 1.0, Kokkos::subview(C, Kokkos::ALL, 1), 3.0, y);  // y <- C(:, 1) + 3 y
  abax::dot(exec, row, column, r);                                     // r <- A(2, :) B(:, 1)

  const auto product = KOKKOS_LAMBDA(int i, int j) {
    double sum = 0;
    for (int p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
    return sum;
  };
  int wrong = wrong_elements(
      "C", C, KOKKOS_LAMBDA(int i, int j) { return 2 * product(i, j) + 2; });
  wrong += wrong_elements(
      "At", At, KOKKOS_LAMBDA(int p, int i) { return a(i, p); });
  wrong += wrong_elements(
      "frame", frame, KOKKOS_LAMBDA(int i, int j) {
        const bool border = i < 1 || i >= m + 1 || j < 2 || j >= n + 2;
        return border ? -1 : product(i - 1, j - 2) - 3;
      });
  int wrong_y = -1;
  Kokkos::parallel_reduce(
      "wrong_y", Kokkos::RangePolicy<>(exec, 0, m),
      KOKKOS_LAMBDA(int i, int& count) { count += y(i) != 5 * product(i, 1) + 2; }, wrong_y);
  double found = 0, want = 0;
  for (int p = 0; p < k; ++p) want += a(2, p) * b(p, 1);
  Kokkos::deep_copy(found, r);  // waits
  std::printf("y: %d of %d elements are wrong\nr is %g, and should be %g\n", wrong_y, m, found, want);
  const double value = abax::dot(exec, row, column);
  std::printf("the value is %g\n", value);

  std::string refused;
  try {
    abax::gemm(exec, "N", "N", 1.0, A, B, 0.0, matrix(nullptr, m, n));
  } catch (const abax::invalid_argument& error) {
    refused = error.what();
  }
  std::printf("a null View: %s\n", refused.c_str());
  return wrong + wrong_y + (found != want) + (value != want) + (refused != "abax::gemm: C (150 x 70) is null") +
         launch::checks(tile::matrix{0});
}

int main(int argc, char* argv[]) {
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no GPU is visible");
    return 77;
  }
#endif
  Kokkos::ScopeGuard kokkos(argc, argv);
  return run() == 0 ? 0 : 1;
}
