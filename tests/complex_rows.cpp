// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of complex products, for every way in which operands lie and however a product is split, against the
// oracle.
#include <abax/gemm.hpp>
#include <abax/gemv.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <set>
#include <string>

#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "cuts.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;
namespace launch = abax::launch;
namespace tile = abax::tile;

namespace {

constexpr char ops[] = {'N', 'T', 'C'};

template <class T, class Exec>
tile::matrix<launch::own_t<T>> whole(const operand<T, Exec>& x) {
  return launch::matrix_of(x.template view<Kokkos::LayoutStride>());
}
template <class T, class Exec>
tile::matrix<const launch::own_t<T>> with_op(const operand<T, Exec>& x, char op) {
  const auto m = whole(x);
  const tile::matrix<const launch::own_t<T>> read{m.data, m.rows, m.cols, m.row_stride, m.col_stride};
  return op == 'N' ? read : read.transposed();
}

struct extents {
  index_t m, n, k;
};
struct factors {
  bool alpha_is_one, beta_is_zero;
};

/// Runs all rows with every cut (cuts_of), and adds the rows' names.
template <launch::shape Kind, class R>
void check_rows(const extents& e, char op_a, char op_b, const placements& where, numbers kind, const factors& f,
                std::set<std::string>& names) {
  using T = complex<R>;
  const std::uint64_t seed = 5 * e.m + 3 * e.n + e.k;
  const auto rows_of = [&](char op, index_t rows, index_t cols, std::uint64_t s) {
    return op == 'N' ? random_complex<R>(rows, cols, kind, s) : random_complex<R>(cols, rows, kind, s);
  };
  const auto a = rows_of(op_a, e.m, e.k, seed), b = rows_of(op_b, e.k, e.n, seed + 1),
             c = random_complex<R>(e.m, e.n, kind, seed + 2);
  const T alpha = f.alpha_is_one ? T(1) : T(R(1.25), R(-0.5)), beta = f.beta_is_zero ? T(0) : T(R(-0.75), R(0.375));
  const auto want = abax::reference::gemm(op_a, op_b, alpha, a, b, beta, c);
  static sample plans(5);
  for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
    using Exec = typename Backend::execution_space;
    const operand<T, Exec> A(a, where.a), B(b, where.b), C(c, where.c);
    tile::product<launch::own_t<T>> problem{
        with_op(A, op_a), with_op(B, op_b), whole(C), {launch::own(alpha), launch::own(beta)}};
    problem.conjugated_a = op_a == 'C';
    problem.conjugated_b = op_b == 'C';
    problem = tile::along_rows(problem);
    const auto machine = Backend::machine(exec);
    const index_t blocks = tile::canon_blocks_of<launch::own_t<T>>(e.k);
    for (auto plan : launch::plans<Backend, Kind>(problem, machine)) {
      for (const tile::cut& cut : cuts_of(launch::tiles_of(problem, plan.tile), blocks)) {
        plan.cut = cut;
        if (!launch::fits(plan, problem, machine) || !plans.takes()) continue;
        CAPTURE(name, plan.row->name, cut.splits, cut.whole, e.m, e.n, e.k, op_a, op_b, where.a.text(), where.b.text(),
                where.c.text());
        launch::run_product("test", exec, machine, problem, plan);
        exec.fence();
        REQUIRE(C.difference_from(want) == "");
        REQUIRE(A.change() == "");
        REQUIRE(B.change() == "");
        C.restore();
        names.insert(name + ": " + plan.row->name);
      }
    }
  });
}

#ifdef KOKKOS_ENABLE_CUDA
std::ptrdiff_t rows_of_cuda(const std::set<std::string>& names) {
  return std::ranges::count_if(names, [](const std::string& name) { return name.starts_with("Cuda: complex"); });
}
bool has_tensor_cores() { return abax::cuda::backend::machine(Kokkos::Cuda()).tensor_cores; }
#endif

}  // namespace

TEMPLATE_TEST_CASE("Every row of complex products has the canon's bits", "[complex][kernels][bits]", float, double) {
  // Drawn, so that no choice goes with another one.
  std::mt19937 draws(7);
  const auto any = [&](std::size_t n) { return draws() % n; };
  constexpr extents all_extents[] = {{20, 9, 1050}, {130, 3, 17}, {5, 67, 8},  {33, 35, 18},
                                     {65, 40, 7},   {40, 66, 23}, {17, 18, 9}, {9, 70, 1}};
  constexpr numbers kinds[] = {numbers::unit, numbers::special, numbers::vanishing};
  std::set<std::string> names;
  for (const char op_a : ops)
    for (const char op_b : ops)
      for (const placements& p : every_layout(std::array{all_placements[any(7)], all_placements[2]}))
        check_rows<launch::shape::matrix, TestType>(all_extents[any(8)], op_a, op_b, p, kinds[any(3)],
                                                    {any(2) == 0, any(2) == 0}, names);
  for (const char op : ops)
    check_rows<launch::shape::matrix, TestType>({150, 140, 40}, op, 'C', some_placements(any(7))[0], numbers::unit,
                                                {true, true}, names);
  // Many blocks: their sums are joined in batches.
  for (const char op : {'N', 'C'})
    check_rows<launch::shape::matrix, TestType>({13, 9, 33 * 1024 + 5}, op, 'T', some_placements(any(7))[0],
                                                numbers::unit, {false, false}, names);
#ifdef KOKKOS_ENABLE_CUDA
  const std::ptrdiff_t in_double = has_tensor_cores() ? 4 : 1;
  REQUIRE(rows_of_cuda(names) == (sizeof(TestType) == 4 ? 8 : in_double));
#endif
}

TEMPLATE_TEST_CASE("Every row of complex products with a vector has the canon's bits", "[complex][kernels][bits]",
                   float, double) {
  std::mt19937 draws(8);
  const auto any = [&](std::size_t n) { return draws() % n; };
  constexpr index_t terms[] = {1, 7, 33, 64, 1100};
  constexpr numbers kinds[] = {numbers::unit, numbers::special, numbers::vanishing};
  std::set<std::string> names;
  for (const char op : ops)
    for (const placements& p : every_layout(std::array{all_placements[any(7)], all_placements[2]}))
      for (const index_t m : {1, 31, 33, 70}) {
        const factors f{any(2) == 0, any(2) == 0};
        check_rows<launch::shape::vector, TestType>({m, 1, terms[any(5)]}, op, 'N', p, kinds[any(3)], f, names);
        // The same the other way round, which is turned: a row is the result.
        check_rows<launch::shape::vector, TestType>({1, m, terms[any(5)]}, 'N', op, p, kinds[any(3)], f, names);
      }
#ifdef KOKKOS_ENABLE_CUDA
  REQUIRE(rows_of_cuda(names) == (sizeof(TestType) == 4 ? 3 : 2));
#endif
}

#if defined(KOKKOS_ENABLE_OPENMP) && !defined(ABAX_TEST_DEVICE_ONLY)
TEMPLATE_TEST_CASE("A CPU's rows of complex products serve few rows by many columns", "[complex][kernels][bits]", float,
                   double) {
  std::mt19937 draws(9);
  const auto any = [&](std::size_t n) { return draws() % n; };
  constexpr numbers kinds[] = {numbers::unit, numbers::special, numbers::vanishing};
  std::set<std::string> names;
  for (const extents& e : {extents{2, 130, 300}, {3, 270, 1100}, {2, 70, 2100}, {3, 97, 7}})
    for (const char op_a : ops)
      for (const char op_b : ops)
        check_rows<launch::shape::matrix, TestType>(e, op_a, op_b, some_placements(any(7))[0], kinds[any(3)],
                                                    {any(2) == 0, any(2) == 0}, names);
  CAPTURE(names);
  REQUIRE(names.contains("OpenMP: turned"));
}
#endif

TEMPLATE_TEST_CASE("A reduced set of complex products for the sanitizers", "[complex][sanitizer]", float, double) {
  std::set<std::string> names;
  const factors some{false, false};
  const placements packed{all_placements[0], all_placements[0], all_placements[0]},
      padded{all_placements[2], all_placements[2], all_placements[2]};
  for (const placements& p : {packed, padded})
    for (const char op_a : {'N', 'C'}) {
      for (const char op_b : {'N', 'T'})
        check_rows<launch::shape::matrix, TestType>({33, 35, 18}, op_a, op_b, p, numbers::unit, some, names);
      check_rows<launch::shape::vector, TestType>({33, 1, 64}, op_a, 'N', p, numbers::unit, some, names);
    }
  check_rows<launch::shape::matrix, TestType>({40, 36, 1050}, 'N', 'C', packed, numbers::unit, some, names);
  check_rows<launch::shape::vector, TestType>({31, 1, 1100}, 'C', 'N', packed, numbers::unit, some, names);
}

TEMPLATE_TEST_CASE("Complex operands may lie on multiples of their parts' size", "[complex][kernels][bits]", float,
                   double) {
  using T = complex<TestType>;
  using own = tile::complex<TestType>;
  for (const extents& e : {extents{40, 35, 19}, extents{40, 1, 19}, extents{70, 33, 1030}}) {
    const index_t m = e.m, n = e.n, k = e.k;
    const auto stored = random_complex<TestType>(k, m, numbers::unit, 3),
               b = random_complex<TestType>(k, n, numbers::unit, 4),
               c = random_complex<TestType>(m, n, numbers::unit, 5);
    const T alpha(TestType(1.25), TestType(-0.5)), beta(TestType(-0.75), TestType(0.375));
    const auto want = abax::reference::gemm('C', 'N', alpha, stored, b, beta, c);
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      // A, B and C column by column, one after another, each after a real number.
      using memory = Kokkos::View<TestType*, typename Exec::memory_space>;
      const auto copied = [](const auto& x) {
        const memory to("operand", 1 + 2 * x.elements.size());
        const auto host = Kokkos::create_mirror_view(to);
        std::memcpy(host.data() + 1, x.elements.data(), sizeof(T) * x.elements.size());
        Kokkos::deep_copy(to, host);
        return to;
      };
      const memory A = copied(stored), B = copied(b), C = copied(c);
      using unmanaged = Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
      const auto view = [](const memory& x, index_t rows, index_t cols) {
        return unmanaged(reinterpret_cast<T*>(x.data() + 1), std::size_t(rows), std::size_t(cols));
      };
      abax::gemm(exec, "C", "N", alpha, view(A, k, m), view(B, k, n), beta, view(C, m, n));
      exec.fence();
      const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
      CAPTURE(Exec::name(), m, n, k);
      REQUIRE(std::memcmp(result.data() + 1, want.elements.data(), sizeof(own) * want.elements.size()) == 0);
    });
  }
}
