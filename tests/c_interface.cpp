// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax.h: statuses and messages, streams, and that each function hands its arguments on in the right order.
#include <abax/abax.h>

#include <abax/abax.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_names.hpp"
#include "c_streams.hpp"

using namespace abax::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What a View's element must be to be a pointer: View<T**> has another meaning.
template <class Pointer>
struct element {
  Pointer pointer;
};

}  // namespace

TEMPLATE_TEST_CASE("every C function has the bits of the C++ function", "[c_interface]", float, double,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
  using T = TestType;
  using f = functions<T>;
  for_each_place([]<class Exec>(const Exec& exec, abax_place place) {
    const stream_handle stream = open(place);
    const auto operand_of = [](std::uint64_t seed) { return random_operand<T, Exec>(200, seed); };
    const auto A = operand_of(1), B = operand_of(2), C = operand_of(3), D = operand_of(3);
    const auto matrix_of = [](const auto& memory, int rows, int cols, int row_stride, int col_stride) {
      return Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space>(
          memory.data(), Kokkos::LayoutStride(rows, row_stride, cols, col_stride));
    };
    const auto vector_of = [](const auto& memory, int extent, int stride) {
      return Kokkos::View<T*, Kokkos::LayoutStride, typename Exec::memory_space>(memory.data(),
                                                                                 Kokkos::LayoutStride(extent, stride));
    };
    const auto same = [&](const char* function, abax_status status, const auto& in_cpp) {
      CAPTURE(function);
      CHECK(status == ABAX_SUCCESS);
      CHECK(abax_fence(stream.get()) == ABAX_SUCCESS);
      in_cpp();
      exec.fence();
      CHECK(difference_between(C, D) == "");
      CHECK(std::string(abax_message(stream.get())).empty());
    };
    const auto number = [](real_of<T> re, [[maybe_unused]] real_of<T> im) {
      if constexpr (is_complex<T>)
        return T(re, im);
      else
        return re;
    };
    const T alpha = number(1.5, 0.25), beta = number(-0.5, 2);
    const auto real_result = [](const auto& memory) {
      using Real = real_of<T>;
      return Kokkos::View<Real, typename Exec::memory_space>(reinterpret_cast<Real*>(memory.data()));
    };
    constexpr char turned[] = {is_complex<T> ? 'T' : 'C', '\0'};  // what syrk takes

    // Extents and strides all different, so that exchanging any two of them shows.
    same("gemm",
         f::gemm(stream.get(), 't', 'N', 3, 5, 4, alpha, A.data(), 1, 7, B.data(), 11, 2, beta, C.data(), 13, 2), [&] {
           abax::gemm(exec, "T", "N", alpha, matrix_of(A, 4, 3, 1, 7), matrix_of(B, 4, 5, 11, 2), beta,
                      matrix_of(D, 3, 5, 13, 2));
         });
    const auto items_of = [](const auto& memory, int items, int rows, int cols, int item_stride, int row_stride,
                             int col_stride) {
      return Kokkos::View<T***, Kokkos::LayoutStride, typename Exec::memory_space>(
          memory.data(), Kokkos::LayoutStride(items, item_stride, rows, row_stride, cols, col_stride));
    };
    same("gemm_batched",
         f::gemm_batched(stream.get(), 't', 'N', 3, 4, 5, 2, alpha, A.data(), 17, 1, 7, B.data(), 0, 11, 2, beta,
                         C.data(), 50, 2, 9),
         [&] {
           abax::gemm_batched(exec, "T", "N", alpha, items_of(A, 3, 2, 4, 17, 1, 7), matrix_of(B, 2, 5, 11, 2), beta,
                              items_of(D, 3, 4, 5, 50, 2, 9));
         });
    const auto pointers_to = [](auto* data, int step) {
      Kokkos::View<element<decltype(data)>*, typename Exec::memory_space> there("pointers", 3);
      const auto here = Kokkos::create_mirror_view(there);
      for (int i = 0; i < 3; ++i) here(i).pointer = data + i * step;
      Kokkos::deep_copy(there, here);
      return there;
    };
    const auto a_at = pointers_to(static_cast<const T*>(A.data()), 0);
    const auto b_at = pointers_to(static_cast<const T*>(B.data()), 23);
    const auto c_at = pointers_to(C.data(), 60);
    same("gemm_batched_at",
         f::gemm_batched_at(stream.get(), 'N', 'c', 3, 4, 5, 2, alpha, &a_at.data()->pointer, 7, &b_at.data()->pointer,
                            6, beta, &c_at.data()->pointer, 9),
         [&] {
           for (int i = 0; i < 3; ++i) {
             const memory_of<T, Exec> D_i(D.data() + 60 * i, 60), B_i(B.data() + 23 * i, 23);
             abax::gemm(exec, "N", "C", alpha, matrix_of(A, 4, 2, 1, 7), matrix_of(B_i, 5, 2, 1, 6), beta,
                        matrix_of(D_i, 4, 5, 1, 9));
           }
         });
    same("gemv_batched",
         f::gemv_batched(stream.get(), 'T', 3, 4, 5, alpha, A.data(), 41, 2, 9, B.data(), 13, 3, beta, C.data(), 1, 3),
         [&] {
           abax::gemv_batched(exec, "T", alpha, items_of(A, 3, 4, 5, 41, 2, 9), matrix_of(B, 3, 4, 13, 3), beta,
                              matrix_of(D, 3, 5, 1, 3));
         });
    same("gemmt",
         f::gemmt(stream.get(), 'u', 't', 'N', 5, 4, alpha, A.data(), 1, 7, B.data(), 11, 2, beta, C.data(), 13, 2),
         [&] {
           abax::gemmt(exec, "U", "T", "N", alpha, matrix_of(A, 4, 5, 1, 7), matrix_of(B, 4, 5, 11, 2), beta,
                       matrix_of(D, 5, 5, 13, 2));
         });
    same("syrk", f::syrk(stream.get(), 'L', turned[0], 5, 4, alpha, A.data(), 1, 7, beta, C.data(), 13, 2),
         [&] { abax::syrk(exec, "L", turned, alpha, matrix_of(A, 4, 5, 1, 7), beta, matrix_of(D, 5, 5, 13, 2)); });
    same("gemv", f::gemv(stream.get(), 'C', 3, 5, alpha, A.data(), 2, 9, B.data(), 3, beta, C.data(), 4),
         [&] { abax::gemv(exec, "C", alpha, matrix_of(A, 3, 5, 2, 9), vector_of(B, 3, 3), beta, vector_of(D, 5, 4)); });
    same("dot", f::dot(stream.get(), 50, A.data(), 3, B.data(), 2, C.data()), [&] {
      abax::dot(exec, vector_of(A, 50, 3), vector_of(B, 50, 2), Kokkos::View<T, typename Exec::memory_space>(D.data()));
    });
    same("nrm2", f::nrm2(stream.get(), 50, A.data(), 3, real_result(C).data()),
         [&] { abax::nrm2(exec, vector_of(A, 50, 3), real_result(D)); });
    same("asum", f::asum(stream.get(), 50, A.data(), 3, real_result(C).data()),
         [&] { abax::asum(exec, vector_of(A, 50, 3), real_result(D)); });
    if constexpr (!is_complex<T>)
      same("sum", f::sum(stream.get(), 50, A.data(), 3, C.data()),
           [&] { abax::sum(exec, vector_of(A, 50, 3), real_result(D)); });
    const auto index_result = [](const auto& memory) {
      return Kokkos::View<index_t, typename Exec::memory_space>(reinterpret_cast<index_t*>(memory.data()));
    };
    same("iamax", f::iamax(stream.get(), 50, A.data(), 3, index_result(C).data()),
         [&] { abax::iamax(exec, vector_of(A, 50, 3), index_result(D)); });
    same("transpose", f::transpose(stream.get(), 3, 5, A.data(), 2, 9, C.data(), 7, 1),
         [&] { abax::transpose(exec, matrix_of(A, 3, 5, 2, 9), matrix_of(D, 5, 3, 7, 1)); });
    same("transpose_in_place", f::transpose_in_place(stream.get(), 4, C.data(), 11, 2),
         [&] { abax::transpose(exec, matrix_of(D, 4, 4, 11, 2)); });
    same("axpby", f::axpby(stream.get(), 30, alpha, A.data(), 3, beta, C.data(), 2),
         [&] { abax::axpby(exec, alpha, vector_of(A, 30, 3), beta, vector_of(D, 30, 2)); });
    same("scal", f::scal(stream.get(), 30, C.data(), 2, alpha, A.data(), 3),
         [&] { abax::scal(exec, vector_of(D, 30, 2), alpha, vector_of(A, 30, 3)); });
    same("copy", f::copy(stream.get(), 30, A.data(), 3, C.data(), 2),
         [&] { abax::copy(exec, vector_of(A, 30, 3), vector_of(D, 30, 2)); });
    same("triad", f::triad(stream.get(), 30, alpha, A.data(), 3, B.data(), 4, C.data(), 2),
         [&] { abax::triad(exec, alpha, vector_of(A, 30, 3), vector_of(B, 30, 4), vector_of(D, 30, 2)); });
    same("increment", f::increment(stream.get(), 30, alpha, C.data(), 5),
         [&] { abax::increment(exec, alpha, vector_of(D, 30, 5)); });
    if constexpr (is_complex<T>) {
      using Real = real_of<T>;
      same("dotc", f::dotc(stream.get(), 50, A.data(), 3, B.data(), 2, C.data()), [&] {
        abax::dotc(exec, vector_of(A, 50, 3), vector_of(B, 50, 2),
                   Kokkos::View<T, typename Exec::memory_space>(D.data()));
      });
      same("herk", f::herk(stream.get(), 'u', 'c', 5, 4, Real(1.5), A.data(), 1, 7, Real(-0.5), C.data(), 13, 2), [&] {
        abax::herk(exec, "U", "C", Real(1.5), matrix_of(A, 4, 5, 1, 7), Real(-0.5), matrix_of(D, 5, 5, 13, 2));
      });
      same("conjugate_transpose", f::conjugate_transpose(stream.get(), 3, 5, A.data(), 2, 9, C.data(), 7, 1),
           [&] { abax::conjugate_transpose(exec, matrix_of(A, 3, 5, 2, 9), matrix_of(D, 5, 3, 7, 1)); });
      same("conjugate_transpose_in_place", f::conjugate_transpose_in_place(stream.get(), 4, C.data(), 11, 2),
           [&] { abax::conjugate_transpose(exec, matrix_of(D, 4, 4, 11, 2)); });
      // By a real factor: the parts are two vectors of real numbers.
      const auto parts = [](const auto& memory, int part, int extent, int stride) {
        return Kokkos::View<Real*, Kokkos::LayoutStride, typename Exec::memory_space>(
            reinterpret_cast<Real*>(memory.data()) + part, Kokkos::LayoutStride(extent, 2 * stride));
      };
      same("scal_by_real", f::scal_by_real(stream.get(), 30, C.data(), 2, Real(1.5), A.data(), 3), [&] {
        for (const int part : {0, 1}) abax::scal(exec, parts(D, part, 30, 2), Real(1.5), parts(A, part, 30, 3));
      });
      same("scal_by_real where it lies",
           f::scal_by_real(stream.get(), 30, C.data() + 99, -2, Real(-2), C.data() + 99, -2), [&] {
             const memory_of<T, Exec> end(D.data() + 99, 1);
             for (const int part : {0, 1})
               abax::scal(exec, parts(end, part, 30, -2), Real(-2), parts(end, part, 30, -2));
           });
    }
  });
}

TEST_CASE("the C interface says what is wrong and writes nothing", "[c_interface][errors]") {
  const stream_handle stream = open(ABAX_HOST);
  abax_stream* const s = stream.get();
  double x[64];
  std::fill(std::begin(x), std::end(x), 2.0);
  double out[16];
  std::fill(std::begin(out), std::end(out), 7.0);
  const auto refused = [&](abax_status status, const char* words) {
    CAPTURE(words);
    CHECK(status == ABAX_INVALID_ARGUMENT);
    CHECK_THAT(abax_message(s), ContainsSubstring(words));
    CHECK(std::count(std::begin(out), std::end(out), 7.0) == 16);
  };
  refused(abax_dgemm(s, 'X', 'N', 2, 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "transA is 'X'");
  refused(abax_dgemm(s, 'N', '?', 2, 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "transB is '?'");
  refused(abax_dgemm(s, 'N', 'N', -1, 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "abax::gemm: m is -1");
  refused(abax_dgemm(s, 'N', 'N', 2, -2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "n is -2");
  refused(abax_dgemm(s, 'N', 'N', 2, 2, -3, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "k is -3");
  refused(abax_dgemm(s, 'N', 'N', 2, 2, 2, 1, nullptr, 1, 2, x, 1, 2, 0, out, 1, 2), "A is a null pointer");
  refused(abax_dgemm(s, 'N', 'N', 2, 2, 2, 1, x, 1, 2, nullptr, 1, 2, 0, out, 1, 2), "B is a null pointer");
  refused(abax_dgemm(s, 'N', 'N', 2, 2, 2, 1, x, 1, 2, x, 1, 2, 0, nullptr, 1, 2), "C is a null pointer");
  refused(abax_dgemm(s, 'N', 'N', 2, 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 1), "name an element twice");
  refused(abax_dgemm(s, 'N', 'N', 2, 2, 2, 1, out, 1, 2, x, 1, 2, 0, out, 1, 2), "shares memory with input A");
  refused(abax_dgemv(s, 'N', 2, 2, 1, x, 1, 2, x, 1, 0, nullptr, 1), "abax::gemv: y is a null pointer");
  refused(abax_dgemv(s, 'T', 2, -2, 1, x, 1, 2, x, 1, 0, out, 1), "n is -2");
  refused(abax_ddot(s, -1, x, 1, x, 1, out), "abax::dot: n is -1");
  refused(abax_ddot(s, 1, x, 1, x, 1, nullptr), "result is a null pointer");
  refused(abax_dtranspose(s, 2, -2, x, 1, 2, out, 1, 2), "abax::transpose: n is -2");
  refused(abax_daxpby(s, 4, 1, nullptr, 1, 0, out, 1), "abax::axpby: x is a null pointer");
  refused(abax_dscal(s, 4, out, 0, 1, x, 1), "abax::scal: output y");
  refused(abax_dcopy(s, 4, out, 1, out + 1, 1), "abax::copy: output y");
  refused(abax_dtriad(s, 4, 1, x, 1, x, 1, nullptr, 1), "abax::triad: z is a null pointer");
  refused(abax_dincrement(s, 4, 1, nullptr, 1), "abax::increment: x is a null pointer");
  refused(abax_dgemmt(s, 'X', 'N', 'N', 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "abax::gemmt: uplo is 'X'");
  refused(abax_dgemmt(s, 'L', 'X', 'N', 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "transA is 'X'");
  refused(abax_dgemmt(s, 'L', 'N', 'X', 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "transB is 'X'");
  refused(abax_dgemmt(s, 'L', 'N', 'N', -2, 2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "n is -2");
  refused(abax_dgemmt(s, 'L', 'N', 'N', 2, -2, 1, x, 1, 2, x, 1, 2, 0, out, 1, 2), "k is -2");
  refused(abax_dgemmt(s, 'L', 'N', 'N', 2, 2, 1, x, 1, 2, nullptr, 1, 2, 0, out, 1, 2), "B is a null pointer");
  refused(abax_dgemmt(s, 'L', 'N', 'N', 2, 2, 1, x, 1, 2, out, 1, 2, 0, out, 1, 2), "shares memory with input B");
  refused(abax_dsyrk(s, 'X', 'N', 2, 2, 1, x, 1, 2, 0, out, 1, 2), "abax::syrk: uplo is 'X'");
  refused(abax_dsyrk(s, 'U', 'X', 2, 2, 1, x, 1, 2, 0, out, 1, 2), "trans is 'X'");
  refused(abax_dsyrk(s, 'U', 'N', -1, 2, 1, x, 1, 2, 0, out, 1, 2), "n is -1");
  refused(abax_dsyrk(s, 'U', 'N', 2, -1, 1, x, 1, 2, 0, out, 1, 2), "k is -1");
  refused(abax_dsyrk(s, 'U', 'N', 2, 2, 1, nullptr, 1, 2, 0, out, 1, 2), "A is a null pointer");
  refused(abax_dsyrk(s, 'U', 'N', 2, 2, 1, x, 1, 2, 0, nullptr, 1, 2), "C is a null pointer");
  refused(abax_dsyrk(s, 'U', 'N', 2, 2, 1, x, 1, 2, 0, out, 1, 1), "name an element twice");
  refused(abax_dsyrk(s, 'U', 'N', 2, 2, 1, out, 1, 2, 0, out, 1, 2), "shares memory with input A");
  const auto batched = [&](char ta, int64_t items, int64_t m, int64_t n, int64_t k, const double* A, int64_t isA,
                           const double* B, double* C, int64_t isC) {
    return abax_dgemm_batched(s, ta, 'N', items, m, n, k, 1, A, isA, 1, 2, B, 4, 1, 2, 0, C, isC, 1, 2);
  };
  refused(batched('X', 2, 2, 2, 2, x, 4, x, out, 4), "abax::gemm_batched: transA is 'X'");
  refused(batched('N', -1, 2, 2, 2, x, 4, x, out, 4), "items is -1");
  refused(batched('N', 2, -1, 2, 2, x, 4, x, out, 4), "m is -1");
  refused(batched('N', 2, 2, -1, 2, x, 4, x, out, 4), "n is -1");
  refused(batched('N', 2, 2, 2, -1, x, 4, x, out, 4), "k is -1");
  refused(batched('N', 2, 2, 2, 2, nullptr, 4, x, out, 4), "A is a null pointer");
  refused(batched('N', 2, 2, 2, 2, x, 4, nullptr, out, 4), "B is a null pointer");
  refused(batched('N', 2, 2, 2, 2, x, 4, x, nullptr, 4), "C is a null pointer");
  refused(batched('N', 2, 2, 2, 2, x, std::int64_t(1) << 58, x, out, 4), "A (2 items of 2 x 2, strides ");
  refused(batched('N', 2, 2, 2, 2, x, std::numeric_limits<std::int64_t>::min(), x, out, 4), "fit the address space");
  refused(batched('N', 2, 2, 2, 2, x, 4, x, out, 3), "name an element twice");
  refused(batched('N', 2, 2, 2, 2, x, 4, x, out, 0), "name an element twice");
  refused(batched('N', 2, 2, 2, 2, out + 4, 4, x, out, 4), "shares memory with input A");
  CHECK(batched('N', 0, 2, 2, 2, nullptr, 4, nullptr, nullptr, 4) == ABAX_SUCCESS);
  CHECK(batched('N', 2, 0, 2, 2, nullptr, 4, nullptr, nullptr, 4) == ABAX_SUCCESS);
  const double* const at[] = {x, x + 4};
  double* const out_at[] = {out, out + 4};
  const auto pointers = [&](char tb, int64_t items, int64_t m, int64_t lda, int64_t ldb, int64_t ldc,
                            const double* const* A, double* const* C) {
    return abax_dgemm_batched_at(s, 'N', tb, items, m, 2, 2, 1, A, lda, at, ldb, 0, C, ldc);
  };
  refused(pointers('X', 2, 2, 2, 2, 2, at, out_at), "abax::gemm_batched: transB is 'X'");
  refused(pointers('N', -1, 2, 2, 2, 2, at, out_at), "items is -1");
  refused(pointers('N', 2, -1, 2, 2, 2, at, out_at), "m is -1");
  refused(pointers('N', 2, 2, 1, 2, 2, at, out_at), "the leading dimension of A is 1, but a line of A is 2");
  refused(pointers('N', 2, 2, 2, 1, 2, at, out_at), "the leading dimension of B is 1");
  refused(pointers('N', 2, 2, 2, 2, 1, at, out_at), "the leading dimension of C is 1");
  refused(pointers('N', 2, 2, std::int64_t(1) << 60, 2, 2, at, out_at), "A (2 x 2, strides 1 and ");
  refused(pointers('N', 2, 2, 2, 2, 2, nullptr, out_at), "the array of pointers A");
  refused(pointers('N', 2, 2, 2, 2, 2, at, nullptr), "the array of pointers C");
  refused(abax_dgemv_batched(s, 'N', -2, 2, 2, 1, x, 4, 1, 2, x, 2, 1, 0, out, 2, 1), "abax::gemv_batched: items is");
  refused(abax_dgemv_batched(s, 'N', 2, 2, 2, 1, x, 4, 1, 2, nullptr, 2, 1, 0, out, 2, 1), "x is a null pointer");
  refused(abax_dgemv_batched(s, 'N', 2, 2, 2, 1, x, 4, 1, 2, x, 2, 1, 0, out, 1, 1), "name an element twice");
  CHECK(abax_dgemm(nullptr, 'N', 'N', 1, 1, 1, 1, x, 1, 1, x, 1, 1, 0, out, 1, 1) == ABAX_INVALID_ARGUMENT);
  CHECK(abax_fence(nullptr) == ABAX_INVALID_ARGUMENT);

  SECTION("what is not read may be null") {
    CHECK(abax_dgemm(s, 'N', 'N', 4, 4, 0, 1, nullptr, 1, 4, nullptr, 1, 1, 2, out, 1, 4) == ABAX_SUCCESS);
    CHECK(std::count(std::begin(out), std::end(out), 14.0) == 16);
    CHECK(abax_dgemv(s, 'N', 4, 4, 0, nullptr, 1, 4, nullptr, 1, 0.5, out, 1) == ABAX_SUCCESS);
    CHECK(std::count(std::begin(out), std::end(out), 7.0) == 4);
    CHECK(abax_dgemm(s, 'N', 'N', 0, 4, 4, 1, nullptr, 1, 4, nullptr, 1, 4, 2, nullptr, 1, 4) == ABAX_SUCCESS);
  }
  SECTION("a stream that trusts its operands does not look") {
    const stream_handle trusting = open(ABAX_HOST, ABAX_TRUST_OPERANDS);
    // y among A's columns, with a stride of its own: nobody's element twice, though addresses meet.
    double a[40] = {};
    a[0] = 3;
    x[0] = 2;
    CHECK(abax_dgemv(s, 'N', 2, 4, 1, a, 1, 10, x, 1, 0, a + 3, 2) == ABAX_INVALID_ARGUMENT);
    CHECK(abax_dgemv(trusting.get(), 'N', 2, 4, 1, a, 1, 10, x, 1, 0, a + 3, 2) == ABAX_SUCCESS);
    CHECK(a[3] == 6);
    CHECK(a[5] == 0);
  }
}

TEMPLATE_TEST_CASE("the C interface refuses what no memory holds, naming it, and writes nothing",
                   "[c_interface][errors]", float, double, Kokkos::complex<float>, Kokkos::complex<double>) {
  using T = TestType;
  using f = functions<T>;
  constexpr index_t most = std::numeric_limits<index_t>::max(), size = sizeof(T);
  for_each_place([&]<class Exec>(const Exec&, abax_place place) {
    for (const unsigned options : {0U, unsigned(ABAX_TRUST_OPERANDS)}) {
      const stream_handle stream = open(place, options);
      abax_stream* const s = stream.get();
      const memory_of<T, Exec> memory("operand", 16), output("output", 16);
      Kokkos::deep_copy(output, T(7));
      const auto untouched = Kokkos::create_mirror(Kokkos::HostSpace(), output);
      Kokkos::deep_copy(untouched, output);
      const T* const x = memory.data();
      T* const out = output.data();
      real_of<T>* const real_out = reinterpret_cast<real_of<T>*>(out);
      const auto refused = [&](abax_status status, abax_status wanted, const std::string& words) {
        CAPTURE(words, options);
        CHECK(status == wanted);
        CHECK_THAT(abax_message(s), ContainsSubstring(words));
      };
      const auto invalid = [&](abax_status status, const std::string& words) {
        refused(status, ABAX_INVALID_ARGUMENT, words);
      };

      // A stride of each operand in turn, others small.
      const auto matrix_text = [](const char* name, index_t rows, index_t cols, index_t row_stride,
                                  index_t col_stride) {
        return std::string(name) + " (" + std::to_string(rows) + " x " + std::to_string(cols) + ", strides " +
               std::to_string(row_stride) + " and " + std::to_string(col_stride) + ") does not fit the address space";
      };
      const auto vector_text = [](const char* name, index_t elements, index_t stride) {
        return std::string(name) + " (" + std::to_string(elements) + " elements, stride " + std::to_string(stride) +
               ") does not fit the address space, expected less than 2^60 bytes";
      };
      for (const index_t far : {most, -most - 1, -most, most / 2 + 1, -most / 2, most / size, (most / 8 + 1) / size,
                                index_t(-1) << 58, index_t(-1) << 50}) {
        CAPTURE(far);
        const auto gemm = [&](index_t rs_a, index_t cs_a, index_t rs_b, index_t cs_b, index_t rs_c, index_t cs_c) {
          return f::gemm(s, 'T', 'N', 3, 5, 2, 1, x, rs_a, cs_a, x, rs_b, cs_b, 0, out, rs_c, cs_c);
        };
        invalid(gemm(far, 1, 1, 2, 1, 3), "abax::gemm: " + matrix_text("A", 2, 3, far, 1));
        invalid(gemm(1, far, 1, 2, 1, 3), matrix_text("A", 2, 3, 1, far));
        invalid(gemm(1, 2, far, 1, 1, 3), matrix_text("B", 2, 5, far, 1));
        invalid(gemm(1, 2, 1, far, 1, 3), matrix_text("B", 2, 5, 1, far));
        invalid(gemm(1, 2, 1, 2, far, 1), matrix_text("C", 3, 5, far, 1));
        invalid(gemm(1, 2, 1, 2, 1, far), matrix_text("C", 3, 5, 1, far));
        invalid(gemm(far, far, 1, 2, 1, 3), matrix_text("A", 2, 3, far, far));
        const auto gemv = [&](index_t rs, index_t cs, index_t incx, index_t incy) {
          return f::gemv(s, 'N', 2, 3, 1, x, rs, cs, x, incx, 0, out, incy);
        };
        invalid(gemv(far, 1, 1, 1), "abax::gemv: " + matrix_text("A", 2, 3, far, 1));
        invalid(gemv(1, far, 1, 1), matrix_text("A", 2, 3, 1, far));
        invalid(gemv(1, 2, far, 1), vector_text("x", 3, far));
        invalid(gemv(1, 2, 1, far), vector_text("y", 2, far));
        invalid(f::dot(s, 2, x, far, x, 1, out), "abax::dot: " + vector_text("x", 2, far));
        invalid(f::dot(s, 2, x, 1, x, far, out), vector_text("y", 2, far));
        invalid(f::nrm2(s, 2, x, far, real_out), "abax::nrm2: " + vector_text("x", 2, far));
        invalid(f::asum(s, 2, x, far, real_out), "abax::asum: " + vector_text("x", 2, far));
        if constexpr (!is_complex<T>) invalid(f::sum(s, 2, x, far, out), "abax::sum: " + vector_text("x", 2, far));
        invalid(f::transpose(s, 2, 3, x, far, 1, out, 1, 3), "abax::transpose: " + matrix_text("A", 2, 3, far, 1));
        invalid(f::transpose(s, 2, 3, x, 1, far, out, 1, 3), matrix_text("A", 2, 3, 1, far));
        invalid(f::transpose(s, 2, 3, x, 1, 2, out, far, 1), matrix_text("B", 3, 2, far, 1));
        invalid(f::transpose(s, 2, 3, x, 1, 2, out, 1, far), matrix_text("B", 3, 2, 1, far));
        invalid(f::axpby(s, 2, 1, x, far, 0, out, 1), "abax::axpby: " + vector_text("x", 2, far));
        invalid(f::axpby(s, 2, 1, x, 1, 0, out, far), vector_text("y", 2, far));
        invalid(f::scal(s, 2, out, far, 1, x, 1), "abax::scal: " + vector_text("y", 2, far));
        invalid(f::scal(s, 2, out, 1, 1, x, far), vector_text("x", 2, far));
        invalid(f::copy(s, 2, x, far, out, 1), "abax::copy: " + vector_text("x", 2, far));
        invalid(f::copy(s, 2, x, 1, out, far), vector_text("y", 2, far));
        invalid(f::triad(s, 2, 1, x, far, x, 1, out, 1), "abax::triad: " + vector_text("x", 2, far));
        invalid(f::triad(s, 2, 1, x, 1, x, far, out, 1), vector_text("y", 2, far));
        invalid(f::triad(s, 2, 1, x, 1, x, 1, out, far), vector_text("z", 2, far));
        invalid(f::increment(s, 2, 1, out, far), "abax::increment: " + vector_text("x", 2, far));
      }

      // Rows and columns that are not too far apart, each taken alone.
      const index_t half = (index_t(1) << 59) / size;
      for (const auto& [row, col] : {std::pair{half, half}, {half, -half}, {-half, half}, {-half, -half}}) {
        CAPTURE(row, col);
        invalid(f::gemm(s, 'N', 'N', 2, 2, 2, 1, x, row, col, x, 1, 2, 0, out, 1, 2), matrix_text("A", 2, 2, row, col));
        invalid(f::gemm(s, 'N', 'N', 2, 2, 2, 1, x, 1, 2, x, 1, 2, 0, out, row, col), matrix_text("C", 2, 2, row, col));
      }
      // The second item of a batch begins at an address, and its second row has none.
      const index_t down = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(x) / sizeof(T)) - 8;
      invalid(f::gemm_batched(s, 'N', 'N', 2, 2, 1, 1, 1, x, -down, -16, 1, x, 0, 1, 1, 0, out, 2, 1, 2),
              "A (2 items of 2 x 1, strides " + std::to_string(-down) + ", -16 and 1) does not fit the address space");

      // An extent of each in turn: too large to be one, or for the stride that comes with it.
      for (const index_t many : {most, index_t(1) << 62, index_t(1) << 60}) {
        const std::string is = " is " + std::to_string(many) + ", expected less than 2^60";
        invalid(f::gemm(s, 'N', 'N', many, 1, 1, 1, x, 1, 1, x, 1, 1, 0, out, 1, 1), "abax::gemm: m" + is);
        invalid(f::gemm(s, 'N', 'N', 1, many, 1, 1, x, 1, 1, x, 1, 1, 0, out, 1, 1), "n" + is);
        invalid(f::gemm(s, 'N', 'N', 1, 1, many, 1, x, 1, 0, x, 0, 1, 0, out, 1, 1), "k" + is);
        invalid(f::gemv(s, 'N', many, 1, 1, x, 1, 1, x, 1, 0, out, 1), "abax::gemv: m" + is);
        invalid(f::gemv(s, 'N', 1, many, 1, x, 1, 0, x, 0, 0, out, 1), "n" + is);
        invalid(f::dot(s, many, x, 0, x, 0, out), "abax::dot: n" + is);
        invalid(f::nrm2(s, many, x, 0, real_out), "abax::nrm2: n" + is);
        invalid(f::iamax(s, many, x, 0, nullptr), "abax::iamax: n" + is);
        invalid(f::transpose(s, many, 1, x, 1, 1, out, 1, 1), "abax::transpose: m" + is);
        invalid(f::transpose(s, 1, many, x, 1, 1, out, 1, 1), "n" + is);
        invalid(f::axpby(s, many, 1, x, 0, 0, out, 1), "abax::axpby: n" + is);
        invalid(f::scal(s, many, out, 1, 1, x, 0), "abax::scal: n" + is);
        invalid(f::copy(s, many, x, 0, out, 1), "abax::copy: n" + is);
        invalid(f::triad(s, many, 1, x, 0, x, 0, out, 1), "abax::triad: n" + is);
        invalid(f::increment(s, many, 1, out, 1), "abax::increment: n" + is);
      }
      for (const auto& [many, far] : {std::pair{index_t(1) << 31, index_t(1) << 33},
                                      {index_t(1) << 32, index_t(1) << 31},
                                      {index_t(1) << 59, index_t(2)},
                                      {index_t(3) << 29, -(index_t(1) << 40)}}) {
        CAPTURE(many, far);
        invalid(f::gemm(s, 'N', 'N', 1, 1, many, 1, x, 1, far, x, 0, 1, 0, out, 1, 1),
                matrix_text("A", 1, many, 1, far));
        invalid(f::gemm(s, 'N', 'T', 1, many, 1, 1, x, 1, 1, x, far, 1, 0, out, 1, 1),
                matrix_text("B", many, 1, far, 1));
        invalid(f::gemm(s, 'N', 'N', many, 1, 1, 1, x, 0, 1, x, 1, 1, 0, out, far, 1),
                matrix_text("C", many, 1, far, 1));
        invalid(f::gemv(s, 'T', many, 1, 1, x, far, 1, x, 0, 0, out, 1), matrix_text("A", many, 1, far, 1));
        invalid(f::gemv(s, 'T', many, 1, 1, x, 0, 1, x, far, 0, out, 1), vector_text("x", many, far));
        invalid(f::gemv(s, 'T', 1, many, 1, x, 1, 0, x, 1, 0, out, far), vector_text("y", many, far));
        invalid(f::dot(s, many, x, far, x, 0, out), vector_text("x", many, far));
        invalid(f::transpose(s, many, 1, x, far, 1, out, 1, 1), matrix_text("A", many, 1, far, 1));
        invalid(f::copy(s, many, x, far, out, 1), vector_text("x", many, far));
      }

      // Operands that fit, and more work than can be counted.
      constexpr const char* beyond = "are more than can be counted";
      const auto too_much = [&](abax_status status) { refused(status, ABAX_OUT_OF_RESOURCES, beyond); };
      too_much(f::gemm(s, 'N', 'N', 1, 1, index_t(1) << 43, 1, x, 1, 0, x, 0, 1, 0, out, 1, 1));
      too_much(f::gemm(s, 'N', 'N', 1 << 22, 1 << 22, 1 << 20, 1, x, 0, 0, x, 0, 0, 0, out, 1, 1 << 22));
      too_much(f::gemv(s, 'N', 4, index_t(1) << 59, 1, x, 1, 0, x, 0, 0, out, 1));

      CHECK(abax_fence(s) == ABAX_SUCCESS);
      CHECK(difference_between(output, untouched) == "");
    }
  });
}

TEST_CASE("a stride that nothing uses does not make the items of a batch meet", "[c_interface]") {
  // Columns of 3 whose elements alternate with those of 24 other items, and between them another column's stride.
  constexpr std::int64_t items = 25, apart = 26;
  const std::vector<float> A(1, 2.0f), B(1, 1.0f);
  for (const std::int64_t unused : {apart + 1, std::int64_t(0), apart * 3, std::int64_t(-7)}) {
    CAPTURE(unused);
    std::vector<float> C(apart * 3, 0.0f);
    abax_stream* stream = nullptr;
    REQUIRE(abax_open(ABAX_HOST, nullptr, 0, &stream) == ABAX_SUCCESS);
    const abax_status status = abax_sgemm_batched(stream, 'N', 'N', items, 3, 1, 1, 1.0f, A.data(), 0, 0, 0, B.data(),
                                                  0, 0, 0, 0.0f, C.data(), 1, apart, unused);
    const std::string message = abax_message(stream);
    abax_close(stream);
    CHECK(status == ABAX_SUCCESS);
    CHECK(message == "");
    for (std::int64_t e = 0; e < apart * 3; ++e) CHECK(C[e] == (e % apart < items ? 2.0f : 0.0f));
  }
}

TEMPLATE_TEST_CASE("the C interface names each operand that is null and needed", "[c_interface][errors]", float, double,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
  using T = TestType;
  using f = functions<T>;
  for_each_place([]<class Exec>(const Exec&, abax_place place) {
    const stream_handle stream = open(place);
    abax_stream* const s = stream.get();
    const memory_of<T, Exec> memory("operand", 16), output("output", 16);
    T* const p = memory.data();
    T* const out = output.data();
    T* const none = nullptr;
    real_of<T>* const real_out = reinterpret_cast<real_of<T>*>(out);
    const auto refused = [&](abax_status status, const char* words) {
      CAPTURE(words);
      CHECK(status == ABAX_INVALID_ARGUMENT);
      CHECK(abax_message(s) == words + std::string(" is a null pointer"));
    };
    refused(f::gemm(s, 'N', 'N', 2, 2, 2, 1, none, 1, 2, p, 1, 2, 0, out, 1, 2), "abax::gemm: A");
    refused(f::gemm(s, 'N', 'N', 2, 2, 2, 1, p, 1, 2, none, 1, 2, 0, out, 1, 2), "abax::gemm: B");
    refused(f::gemm(s, 'N', 'N', 2, 2, 2, 1, p, 1, 2, p, 1, 2, 0, none, 1, 2), "abax::gemm: C");
    refused(f::gemm(s, 'N', 'N', 2, 2, 2, 0, none, 1, 2, none, 1, 2, 0, none, 1, 2), "abax::gemm: C");
    refused(f::gemm(s, 'N', 'N', 2, 2, 0, 1, none, 1, 2, none, 1, 2, 0, none, 1, 2), "abax::gemm: C");
    refused(f::gemmt(s, 'L', 'N', 'N', 2, 0, 1, none, 1, 2, none, 1, 2, 0, none, 1, 2), "abax::gemmt: C");
    refused(f::syrk(s, 'L', 'N', 2, 2, 0, none, 1, 2, 0, none, 1, 2), "abax::syrk: C");
    refused(f::gemv(s, 'N', 2, 2, 1, none, 1, 2, p, 1, 0, out, 1), "abax::gemv: A");
    refused(f::gemv(s, 'N', 2, 2, 1, p, 1, 2, none, 1, 0, out, 1), "abax::gemv: x");
    refused(f::gemv(s, 'N', 2, 2, 1, p, 1, 2, p, 1, 0, none, 1), "abax::gemv: y");
    refused(f::gemv(s, 'N', 2, 0, 1, none, 1, 2, none, 1, 0, none, 1), "abax::gemv: y");
    refused(f::dot(s, 2, none, 1, p, 1, out), "abax::dot: x");
    refused(f::dot(s, 2, p, 1, none, 1, out), "abax::dot: y");
    refused(f::dot(s, 0, none, 1, none, 1, none), "abax::dot: result");
    refused(f::nrm2(s, 2, none, 1, real_out), "abax::nrm2: x");
    refused(f::asum(s, 0, none, 1, nullptr), "abax::asum: result");
    if constexpr (!is_complex<T>) refused(f::sum(s, 0, none, 1, none), "abax::sum: result");
    refused(f::iamax(s, 2, p, 1, nullptr), "abax::iamax: result");
    refused(f::transpose(s, 2, 2, none, 1, 2, out, 1, 2), "abax::transpose: A");
    refused(f::transpose(s, 2, 2, p, 1, 2, none, 1, 2), "abax::transpose: B");
    refused(f::axpby(s, 2, 1, none, 1, 0, out, 1), "abax::axpby: x");
    refused(f::axpby(s, 2, 0, none, 1, 1, none, 1), "abax::axpby: y");
    refused(f::scal(s, 2, none, 1, 1, p, 1), "abax::scal: y");
    refused(f::scal(s, 2, out, 1, 1, none, 1), "abax::scal: x");
    refused(f::copy(s, 2, none, 1, out, 1), "abax::copy: x");
    refused(f::copy(s, 2, p, 1, none, 1), "abax::copy: y");
    refused(f::triad(s, 2, 1, none, 1, p, 1, out, 1), "abax::triad: x");
    refused(f::triad(s, 2, 1, p, 1, none, 1, out, 1), "abax::triad: y");
    refused(f::triad(s, 2, 1, p, 1, p, 1, none, 1), "abax::triad: z");
    refused(f::increment(s, 2, 1, none, 1), "abax::increment: x");
    refused(f::transpose_in_place(s, 2, none, 1, 2), "abax::transpose: A");
    if constexpr (is_complex<T>) {
      refused(f::dotc(s, 2, p, 1, none, 1, out), "abax::dotc: y");
      refused(f::herk(s, 'L', 'N', 2, 2, 1, none, 1, 2, 0, out, 1, 2), "abax::herk: A");
      refused(f::herk(s, 'L', 'N', 2, 2, 1, p, 1, 2, 0, none, 1, 2), "abax::herk: C");
      refused(f::conjugate_transpose(s, 2, 2, none, 1, 2, out, 1, 2), "abax::conjugate_transpose: A");
      refused(f::scal_by_real(s, 2, none, 1, 1, p, 1), "abax::scal: y");
      refused(f::scal_by_real(s, 2, out, 1, 1, none, 1), "abax::scal: x");
      CHECK(f::scal_by_real(s, 2, out, 1, 0, none, 1) == ABAX_SUCCESS);
      CHECK(f::scal_by_real(s, 0, none, 1, 1, none, 1) == ABAX_SUCCESS);
      const auto wrong = [&](abax_status status, const char* words) {
        CHECK(status == ABAX_INVALID_ARGUMENT);
        CHECK_THAT(abax_message(s), ContainsSubstring(words));
      };
      wrong(f::syrk(s, 'L', 'C', 2, 2, 1, p, 1, 2, 0, out, 1, 2), "abax::syrk: trans is 'C'");
      wrong(f::herk(s, 'L', 'T', 2, 2, 1, p, 1, 2, 0, out, 1, 2), "abax::herk: trans is 'T'");
      wrong(f::herk(s, 'x', 'C', 2, 2, 1, p, 1, 2, 0, out, 1, 2), "abax::herk: uplo is 'x'");
      wrong(f::herk(s, 'L', 'C', 2, -2, 1, p, 1, 2, 0, out, 1, 2), "abax::herk: k is -2");
      wrong(f::herk(s, 'L', 'C', 2, 2, 1, out, 1, 2, 0, out, 1, 2), "shares memory with input A");
      wrong(f::scal_by_real(s, 4, out + 1, 1, 1, out, 1), "abax::scal: output y");
      wrong(f::scal_by_real(s, 4, out, 0, 1, p, 1), "abax::scal: output y");
      wrong(f::scal_by_real(s, -4, out, 1, 1, p, 1), "abax::scal: n is -4");
    }
    // Not needed: whatever the strides.
    const index_t far = std::numeric_limits<index_t>::min();
    CHECK(f::gemm(s, 'N', 'N', 2, 2, 2, 0, none, far, far, none, far, far, 0, out, 1, 2) == ABAX_SUCCESS);
    CHECK(f::gemv(s, 'N', 2, 2, 0, none, far, far, none, far, 0, out, 1) == ABAX_SUCCESS);
    CHECK(f::axpby(s, 2, 0, none, far, 0, out, 1) == ABAX_SUCCESS);
    CHECK(f::copy(s, 0, none, far, none, far) == ABAX_SUCCESS);
    CHECK(f::transpose(s, 0, 2, none, far, far, none, far, far) == ABAX_SUCCESS);
  });
}

TEST_CASE("streams open where they can", "[c_interface][errors]") {
  abax_stream* stream = nullptr;
  CHECK(abax_open(ABAX_HOST, nullptr, 0, nullptr) == ABAX_INVALID_ARGUMENT);
  CHECK(abax_open(ABAX_HOST, &stream, 0, &stream) == ABAX_INVALID_ARGUMENT);
  CHECK(stream == nullptr);
  CHECK(abax_open(ABAX_HOST, nullptr, 1024, &stream) == ABAX_INVALID_ARGUMENT);
  CHECK(abax_open(static_cast<abax_place>(7), nullptr, 0, &stream) == ABAX_INVALID_ARGUMENT);
#ifndef KOKKOS_ENABLE_CUDA
  CHECK(abax_open(ABAX_DEVICE, nullptr, 0, &stream) == ABAX_UNAVAILABLE);
#endif
  abax_close(nullptr);
  CHECK(std::string(abax_message(nullptr)).empty());
  for (const int status : {0, 1, 2, 3, 4})
    CHECK(std::string(abax_status_text(static_cast<abax_status>(status))) != "unknown status");
  CHECK(std::string(abax_status_text(static_cast<abax_status>(99))) == "unknown status");
}
