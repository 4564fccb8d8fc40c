// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-written CUDA kernels: bit for bit the canon up to k = 2048, where their one chain is the canon's; within the
// error bound of a chain beyond. The tuned ones follow the canon for any k.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "cuts.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "spaces.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "handwritten/handwritten.hpp"

using namespace abax::tests;
namespace handwritten = abax::handwritten;

namespace {

using Exec = Kokkos::Cuda;
constexpr placement packed{layout::right, 0, 0}, padded{layout::right, 5, 3};

template <class T>
using product_function = void (*)(std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t, const T*,
                                  std::int64_t, T*, std::int64_t, cudaStream_t);
template <class T>
struct named_product {
  const char* name;
  product_function<T> run;
};
template <class T>
std::vector<named_product<T>> products() {
  return {{"naive", handwritten::matrix_product_naive<T>},
          {"tiled 16 x 16", handwritten::matrix_product_tiled<16, 16, T>},
          {"tiled 16 x 64", handwritten::matrix_product_tiled<16, 64, T>},
          {"tiled 32 x 32", handwritten::matrix_product_tiled<32, 32, T>}};
}

/// Componentwise: any order of k fused multiply-adds errs by at most gamma_k |A||B| (Higham, Accuracy and Stability of
/// Numerical Algorithms, section 3.1), so two orders differ by at most twice that; both are covered by gamma_{k+2}
/// twice. Sums are kept in long double.
template <class T>
std::string beyond_bound(const matrix<T>& got, const matrix<T>& want, const matrix<T>& a, const matrix<T>& b) {
  const long double u = std::numeric_limits<T>::epsilon() / 2, n = a.cols + 2, gamma = n * u / (1 - n * u);
  for (index_t j = 0; j < want.cols; ++j)
    for (index_t i = 0; i < want.rows; ++i) {
      long double exact = 0, scale = 0;
      for (index_t p = 0; p < a.cols; ++p) {
        const long double term = static_cast<long double>(a(i, p)) * b(p, j);
        exact += term;
        scale += std::abs(term);
      }
      if (!(std::abs(got(i, j) - exact) <= gamma * scale))
        return "element (" + std::to_string(i) + ", " + std::to_string(j) + ")";
    }
  return "";
}

// Results of arithmetic whose NaN are the machine's: one NaN is as good as another.
template <class T>
matrix<T> with_one_nan(matrix<T> m) {
  for (T& element : m.elements) element = abax::reference::one_nan(element);
  return m;
}

template <class T>
void check_product(index_t m, index_t n, index_t k, numbers kind, const placement& where) {
  const matrix<T> a = random_matrix<T>(m, k, kind, 2), b = random_matrix<T>(k, n, kind, 3), c(m, n, T(7));
  const matrix<T> want = abax::reference::gemm('N', 'N', T(1), a, b, T(0), c);
  const operand<T, Exec> A(a, where), B(b, where), C(c, where);
  const auto ld = [&](index_t cols) { return std::max<index_t>(1, cols + where.pad); };
  for (const auto& [name, run] : products<T>()) {
    CAPTURE(name, m, n, k, name_of(kind), where.text());
    run(m, n, k, A.data(), ld(k), B.data(), ld(n), C.data(), ld(n), Exec().cuda_stream());
    Exec().fence();
    const matrix<T> got = C.values();
    REQUIRE(C.difference_from(got) == "");  // nothing around it
    if (k <= abax::reference::block_length)
      REQUIRE(difference(with_one_nan(got), want) == "");
    else
      REQUIRE(beyond_bound(got, want, a, b) == "");
    C.restore();
  }
}

template <class T>
void check_vector(index_t m, index_t n, numbers kind, const placement& where) {
  const matrix<T> a = random_matrix<T>(m, n, kind, 2), x = random_vector<T>(n, kind, 3), y(m, 1, T(7));
  const matrix<T> want = abax::reference::gemv('N', T(1), a, x, T(0), y);
  const operand<T, Exec> A(a, where), X(x, {layout::left, 0, 1}), Y(y, {layout::left, 0, 1});
  const index_t lda = std::max<index_t>(1, n + where.pad);
  const cudaStream_t stream = Exec().cuda_stream();
  const auto check = [&](const std::string& name, const matrix<T>& got) {
    CAPTURE(name, m, n, name_of(kind), where.text());
    if (n <= abax::reference::block_length)
      REQUIRE(difference(with_one_nan(got), want) == "");
    else
      REQUIRE(beyond_bound(got, want, a, x) == "");
  };
  handwritten::matrix_vector_static<T>(m, n, A.data(), lda, X.data(), Y.data(), stream);
  Exec().fence();
  REQUIRE(Y.difference_from(Y.values()) == "");
  check("static", Y.values());
  for (const int block_size : {1, 31, 32, 100, 256, 1024}) {
    Y.restore();
    handwritten::matrix_vector_dynamic<T>(m, n, A.data(), lda, X.data(), Y.data(), block_size, stream);
    Exec().fence();
    REQUIRE(Y.difference_from(Y.values()) == "");
    check("dynamic " + std::to_string(block_size), Y.values());
  }
  handwritten::mapped_array<T> mapped(m + 1);
  for (index_t i = 0; i <= m; ++i) mapped.host()[i] = guard_value<T>();
  handwritten::matrix_vector_mapped<T>(m, n, A.data(), lda, X.data(), mapped, stream);
  Exec().fence();
  REQUIRE(bits_of(mapped.host()[m]) == bits_of(guard_value<T>()));
  matrix<T> got(m, 1);
  for (index_t i = 0; i < m; ++i) got(i) = mapped.host()[i];
  check("mapped", got);
}

}  // namespace

TEMPLATE_TEST_CASE("Hand-written matrix products follow the canon up to k = 2048 and its bound beyond", "[handwritten]",
                   float, double) {
  for (const placement& where : {packed, padded}) {
    for (const auto& [m, n, k] : {std::array<index_t, 3>{0, 3, 4},
                                  {3, 0, 4},
                                  {3, 4, 0},
                                  {1, 1, 1},
                                  {15, 17, 16},
                                  {16, 16, 64},
                                  {17, 33, 65},
                                  {31, 32, 63},
                                  {33, 31, 33},
                                  {100, 50, 127},
                                  {37, 11, 2047},
                                  {37, 11, 2048},
                                  {37, 11, 2049},
                                  {20, 9, 4097}})
      check_product<TestType>(m, n, k, numbers::unit, where);
    for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
      for (const index_t k : {1, 17, 63, 65, 2048}) check_product<TestType>(35, 19, k, kind, where);
  }
}

TEMPLATE_TEST_CASE("Hand-written matrix-vector products follow the canon up to k = 2048 and its bound beyond",
                   "[handwritten]", float, double) {
  for (const placement& where : {packed, padded}) {
    for (const auto& [m, n] : {std::array<index_t, 2>{0, 3},
                               {3, 0},
                               {1, 1},
                               {255, 257},
                               {257, 255},
                               {256, 256},
                               {1000, 31},
                               {31, 1000},
                               {300, 2048},
                               {70, 2049},
                               {70, 4097}})
      check_vector<TestType>(m, n, numbers::unit, where);
    for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing})
      for (const index_t n : {1, 33, 257, 2048}) check_vector<TestType>(35, n, kind, where);
  }
}

TEMPLATE_TEST_CASE("Hand-written transposes and increments move and add as the canon does", "[handwritten]", float,
                   double) {
  using T = TestType;
  const cudaStream_t stream = Exec().cuda_stream();
  for (const placement& where : {packed, padded})
    for (const auto& [m, n] : {std::array<index_t, 2>{0, 3},
                               {3, 0},
                               {1, 1},
                               {31, 33},
                               {32, 32},
                               {33, 31},
                               {64, 7},
                               {1000, 1},
                               {1, 1000},
                               {257, 509}}) {
      const matrix<T> a = random_matrix<T>(m, n, numbers::special, 1);
      const operand<T, Exec> A(a, where), B(matrix<T>(n, m, T(7)), where);
      const index_t lda = std::max<index_t>(1, n + where.pad), ldb = std::max<index_t>(1, m + where.pad);
      for (const auto run :
           {handwritten::transpose_naive<T>, handwritten::transpose_tiled<T>, handwritten::transpose_padded<T>}) {
        CAPTURE(m, n, where.text());
        run(m, n, A.data(), lda, B.data(), ldb, stream);
        Exec().fence();
        REQUIRE(B.difference_from(abax::reference::transpose(a)) == "");
        B.restore();
      }
    }
  for (const index_t n : {0, 1, 31, 255, 256, 257, 100003}) {
    const matrix<T> x = random_vector<T>(n, numbers::wide, 1);
    const operand<T, Exec> X(x, {layout::left, 0, 1});
    handwritten::increment<T>(n, T(0.7), X.data(), stream);
    Exec().fence();
    CAPTURE(n);
    REQUIRE(X.difference_from(abax::reference::increment(T(0.7), x)) == "");
  }
  matrix<T> numbered(133, 1, T(7));
  const operand<T, Exec> X(numbered, {layout::left, 0, 1});
  handwritten::number_blocks<T>(132, X.data(), stream);
  Exec().fence();
  for (index_t b = 0; b < 132; ++b) numbered(b) = static_cast<T>(b);
  REQUIRE(X.difference_from(numbered) == "");
}

/// What the hand-written kernels on FP64 tensor cores ask for.
static bool keeps_canon_on_tensor_cores() { return Exec().cuda_device_prop().major == 9; }

TEMPLATE_TEST_CASE("The tuned hand-written kernels have the canon's bits", "[handwritten]", float, double) {
  using T = TestType;
  const cudaStream_t stream = Exec().cuda_stream();
  const placement words{layout::right, 4, 0};
  for (const auto& [m, n] :
       {std::array<index_t, 2>{64, 64}, {128, 192}, {60, 68}, {200, 1000}, {1000, 4}, {257 * 4, 36}}) {
    const matrix<T> a = random_matrix<T>(m, n, numbers::special, 1);
    const operand<T, Exec> A(a, words), B(matrix<T>(n, m, T(7)), words);
    handwritten::transpose_wide<T>(m, n, A.data(), n + 4, B.data(), m + 4, stream);
    Exec().fence();
    CAPTURE(m, n);
    REQUIRE(B.difference_from(abax::reference::transpose(a)) == "");
  }
  Kokkos::View<unsigned*, Exec> arrivals("arrivals", 100);
  Kokkos::View<T*, Exec> sums("sums", 15000 * 8);
  for (const numbers kind : {numbers::unit, numbers::special, numbers::subnormal, numbers::vanishing})
    for (const auto& [outputs, terms] : {std::array<index_t, 2>{4, 4},
                                         {36, 128},
                                         {72, 2044},
                                         {96, 2048},
                                         {68, 4100},
                                         {40, 14340},
                                         {1028, 2100},
                                         {12, 0}}) {
      const matrix<T> a = random_matrix<T>(outputs, terms, kind, 2), at = abax::reference::transpose(a),
                      x = random_vector<T>(terms, kind, 5), y(outputs, 1, T(7));
      const matrix<T> want = abax::reference::gemv('N', T(1), a, x, T(0), y);
      const operand<T, Exec> A(a, words), At(at, words), X(x, {layout::left, 0, 0}), Y(y, {layout::left, 0, 0});
      for (int splits = 1; splits <= std::max<index_t>(1, (terms + 2047) / 2048); ++splits) {
        CAPTURE(outputs, terms, splits, name_of(kind));
        const auto check = [&] {
          Exec().fence();
          REQUIRE(Y.difference_from(want) == "");
          Y.restore();
        };
        handwritten::matrix_vector_ring<T>(outputs, terms, A.data(), terms + 4, X.data(), Y.data(), splits, sums.data(),
                                           arrivals.data(), stream);
        check();
        handwritten::vector_matrix_ring<T>(terms, outputs, At.data(), outputs + 4, X.data(), Y.data(), splits,
                                           sums.data(), arrivals.data(), stream);
        check();
        handwritten::vector_matrix_registers<T>(terms, outputs, At.data(), outputs + 4, X.data(), Y.data(), splits,
                                                sums.data(), arrivals.data(), stream);
        check();
      }
    }
}

TEMPLATE_TEST_CASE("The tuned hand-written matrix products have the canon's bits", "[handwritten]", float, double) {
  using T = TestType;
  const Exec exec;
  if (sizeof(T) == 8 && !keeps_canon_on_tensor_cores()) SKIP("only sm_90's tensor cores were seen to keep the canon");
  Kokkos::View<unsigned*, Exec> arrivals("arrivals", 100);
  Kokkos::View<T*, Exec> sums("sums", 16 * 128 * 128 * 3);

  const placement where{layout::left, 4, 0};
  const auto check = [&](index_t m, index_t n, index_t k, char ta, char tb, numbers kind) {
    const matrix<T> a = random_matrix<T>(ta == 'T' ? k : m, ta == 'T' ? m : k, kind, 2),
                    b = random_matrix<T>(tb == 'T' ? n : k, tb == 'T' ? k : n, kind, 5), c(m, n, T(7));
    const matrix<T> want = abax::reference::gemm(ta, tb, T(1), a, b, T(0), c);
    const operand<T, Exec> A(a, where), B(b, where), C(c, where);
    const auto ld = [&](const matrix<T>& x) { return std::max<index_t>(1, x.rows + where.pad); };
    const index_t tiles = abax::tile::ceil_div<index_t>(m, handwritten::product_rows) *
                          abax::tile::ceil_div<index_t>(n, handwritten::product_cols<T>);
    for (const abax::tile::cut& cut : cuts_of(tiles, abax::tile::canon_blocks(k))) {
      CAPTURE(m, n, k, ta, tb, name_of(kind), cut.splits, cut.whole);
      const handwritten::tuned_product<T> product{ta,
                                                  tb,
                                                  m,
                                                  n,
                                                  k,
                                                  A.data(),
                                                  ld(a),
                                                  B.data(),
                                                  ld(b),
                                                  C.data(),
                                                  ld(c),
                                                  int(cut.splits),
                                                  int(cut.whole),
                                                  sums.data(),
                                                  arrivals.data()};
      handwritten::matrix_product_tuned(product, exec.cuda_stream());
      exec.fence();
      REQUIRE(C.difference_from(want) == "");
      C.restore();
    }
    REQUIRE(A.change() == "");
    REQUIRE(B.change() == "");
  };
  for (const char ta : {'N', 'T'})
    for (const char tb : {'N', 'T'}) {
      for (const auto& [m, n, k] : {std::array<index_t, 3>{4, 8, 4},
                                    {128, 128, 16},
                                    {64, 64, 8},
                                    {132, 260, 36},
                                    {196, 68, 2052},
                                    {300, 12, 100},
                                    {60, 124, 4100},
                                    {300, 132, 4100},
                                    {12, 8, 0}})
        check(m, n, k, ta, tb, numbers::unit);
      for (const numbers kind : {numbers::wide, numbers::special, numbers::subnormal, numbers::vanishing}) {
        check(68, 36, 28, ta, tb, kind);
        check(20, 12, 2056, ta, tb, kind);
      }
    }
  const T* const none = nullptr;
  const auto refused = [&](char ta, index_t m, index_t k, index_t lda, int splits, int whole = 0) {
    const handwritten::tuned_product<T> product{ta,      'N', m,      4,     k,           none,           lda, none, k,
                                                nullptr, m,   splits, whole, sums.data(), arrivals.data()};
    CHECK_THROWS_AS(handwritten::matrix_product_tuned(product, exec.cuda_stream()), std::invalid_argument);
  };
  refused('X', 4, 4, 4, 1);
  refused('N', -1, 4, 4, 1);
  refused('N', 4, 4, 3, 1);
  refused('T', 4, 8, 4, 1);
  refused('N', 4, 4, 4, 0);
  refused('N', 4, 2048, 4, 2);
  refused('N', 4, 4100, 4, 2, -1);
  refused('N', 4, 4100, 4, 2, 2);
  refused('N', 5, 4, 5, 1);
  refused('N', 5, 4, 8, 1);
}
#else
TEST_CASE("Hand-written kernels follow the canon", "[handwritten]") { SKIP("this build has no CUDA"); }
#endif
