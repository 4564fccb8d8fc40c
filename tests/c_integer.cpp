// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax.h's products by way of integers: options, operands that are prepared, counts of lost bits, products of bytes.
// Each has the bits of the C++ function, which tests of its own compare with the oracle.
#include <abax/abax.hpp>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "c_names.hpp"
#include "c_streams.hpp"

using namespace abax::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

struct freeing {
  void operator()(abax_integer_operand* operand) const { abax_free_integer_operand(operand); }
};
using operand_handle = std::unique_ptr<abax_integer_operand, freeing>;

template <class T>
operand_handle prepare(abax_stream* stream, char side, char trans, index_t m, index_t n, const T* x, index_t rs,
                       index_t cs, int bits = 0) {
  abax_integer_operand* operand = nullptr;
  const abax_status status = functions<T>::integer_operand(stream, side, trans, m, n, x, rs, cs, bits, &operand);
  CAPTURE(abax_message(stream));
  REQUIRE(status == ABAX_SUCCESS);
  REQUIRE(operand != nullptr);
  return operand_handle(operand);
}

template <class T, class Exec>
auto matrix_at(const memory_of<T, Exec>& memory, int rows, int cols, int row_stride, int col_stride) {
  return Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space>(
      memory.data(), Kokkos::LayoutStride(rows, row_stride, cols, col_stride));
}

}  // namespace

TEMPLATE_TEST_CASE("operands that abax.h prepares give gemm_integer's bits", "[c_interface][integer]", float, double,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
  using T = TestType;
  using f = functions<T>;
  constexpr int digits = std::numeric_limits<real_of<T>>::digits;
  for_each_place([]<class Exec>(const Exec& exec, abax_place place) {
    stream_handle preparing = open(place);
    const stream_handle stream = open(place);
    abax_stream* const s = stream.get();
    const auto A = random_operand<T, Exec>(4000, 1), B = random_operand<T, Exec>(4000, 2);
    // 13 x 9 with 17 terms; extents and strides all different, so that exchanging any two of them shows.
    constexpr int m = 13, n = 9, k = 17;
    for (const int bits : {0, digits - 3, digits + 8})
      for (const char ta : {'N', 't'})
        for (const char tb : {'N', 'C'}) {
          const bool turns_a = ta != 'N', turns_b = tb != 'N';
          const int a_rows = turns_a ? k : m, a_cols = turns_a ? m : k, b_rows = turns_b ? n : k,
                    b_cols = turns_b ? k : n;
          const operand_handle left = prepare<T>(preparing.get(), 'L', ta, a_rows, a_cols, A.data(), 2, 41, bits),
                               right = prepare<T>(preparing.get(), 'r', tb, b_rows, b_cols, B.data(), 43, 2, bits);
          REQUIRE(abax_fence(preparing.get()) == ABAX_SUCCESS);
          const char op_a[] = {ta, '\0'}, op_b[] = {tb, '\0'};
          const auto want = random_operand<T, Exec>(1000, 3);
          abax::gemm_integer(exec, op_a, op_b, T(1.5), matrix_at<T, Exec>(A, a_rows, a_cols, 2, 41),
                             matrix_at<T, Exec>(B, b_rows, b_cols, 43, 2), T(-0.5),
                             matrix_at<T, Exec>(want, m, n, 37, 3), {.bits = bits});
          exec.fence();
          for (int turn = 0; turn < 6; ++turn) {
            CAPTURE(place, bits, ta, tb, turn);
            const bool has_left = turn % 2 == 1, has_right = turn >= 2 && turn != 3;
            // What is prepared says how many bits there are, unless the call does.
            const int told = (has_left || has_right) && turn < 4 ? 0 : bits;
            const auto C = random_operand<T, Exec>(1000, 3);
            const abax_status status = f::gemm_integer_with(
                s, has_left ? 'N' : ta, has_right ? 'n' : tb, m, n, k, T(1.5), has_left ? nullptr : A.data(),
                has_left ? 0 : 2, has_left ? 0 : 41, has_left ? left.get() : nullptr, has_right ? nullptr : B.data(),
                has_right ? 0 : 43, has_right ? 0 : 2, has_right ? right.get() : nullptr, T(-0.5), C.data(), 37, 3,
                told, turn == 4 ? 1 << 20 : 0, turn >= 3 ? unsigned(ABAX_VERIFY_PRODUCTS) : 0U);
            CAPTURE(abax_message(s));
            REQUIRE(status == ABAX_SUCCESS);
            REQUIRE(abax_fence(s) == ABAX_SUCCESS);
            REQUIRE(difference_between(C, want) == "");
          }
          const auto C = random_operand<T, Exec>(1000, 3);
          REQUIRE(f::gemm_integer(s, ta, tb, m, n, k, T(1.5), A.data(), 2, 41, B.data(), 43, 2, T(-0.5), C.data(), 37,
                                  3, bits) == ABAX_SUCCESS);
          REQUIRE(abax_fence(s) == ABAX_SUCCESS);
          REQUIRE(difference_between(C, want) == "");
        }
  });
}

TEMPLATE_TEST_CASE("an operand that is prepared outlives its stream and serves several threads",
                   "[c_interface][integer]", float, double) {
  using T = TestType;
  using f = functions<T>;
  for_each_place([]<class Exec>(const Exec& exec, abax_place place) {
    constexpr int n = 40, k = 70;
    const auto A = random_operand<T, Exec>(n * k, 1), B = random_operand<T, Exec>(n * k, 2);
    stream_handle first = open(place);
    const operand_handle left = prepare<T>(first.get(), 'L', 'N', n, k, A.data(), 1, n);
    REQUIRE(abax_fence(first.get()) == ABAX_SUCCESS);
    first.reset();
    const memory_of<T, Exec> want("want", n * n);
    abax::gemm_integer(exec, "N", "N", T(1), matrix_at<T, Exec>(A, n, k, 1, n), matrix_at<T, Exec>(B, k, n, 1, k), T(0),
                       matrix_at<T, Exec>(want, n, n, 1, n));
    exec.fence();
    std::vector<memory_of<T, Exec>> results;
    for (int t = 0; t < 3; ++t) results.emplace_back("C", n * n);
    std::array<abax_status, 3> statuses{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        abax_stream* s = nullptr;
        statuses[t] = abax_open(place, nullptr, 0, &s);
        for (int again = 0; again < 5 && statuses[t] == ABAX_SUCCESS; ++again)
          statuses[t] = f::gemm_integer_with(s, 'N', 'N', n, n, k, T(1), nullptr, 0, 0, left.get(), B.data(), 1, k,
                                             nullptr, T(0), results[t].data(), 1, n, 0, 0, 0);
        if (statuses[t] == ABAX_SUCCESS) statuses[t] = abax_fence(s);
        abax_close(s);
      });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t t = 0; t < 3; ++t) {
      CHECK(statuses[t] == ABAX_SUCCESS);
      CHECK(difference_between(results[t], want) == "");
    }
  });
}

TEMPLATE_TEST_CASE("abax.h counts the elements that lose bits", "[c_interface][integer]", float, double) {
  using T = TestType;
  using f = functions<T>;
  for_each_place([]<class Exec>(const Exec& exec, abax_place place) {
    const stream_handle stream = open(place);
    abax_stream* const s = stream.get();
    const memory_of<T, Exec> X("X", 400);
    const auto host = Kokkos::create_mirror_view(X);
    random_bits random(4);
    for (std::size_t e = 0; e < host.size(); ++e) host(e) = random_number<T>(random, numbers::wide);
    Kokkos::deep_copy(X, host);
    for (const char* side : {"L", "R"})
      for (const char* trans : {"N", "T"})
        for (const int bits : {0, std::numeric_limits<T>::digits - 8}) {
          std::int64_t lost = -1;
          CHECK(f::gemm_integer_lost(s, side[0], trans[0], 7, 11, X.data(), 3, 29, bits, &lost) == ABAX_SUCCESS);
          CHECK(lost > 0);
          CHECK(lost ==
                abax::gemm_integer_lost(exec, side, trans, matrix_at<T, Exec>(X, 7, 11, 3, 29), {.bits = bits}));
        }
    // Rows: one element of the second is too small for its row; columns: none is, as each is 0 but for one element.
    Kokkos::deep_copy(X, T(0));
    Kokkos::deep_copy(host, T(0));
    host(0) = T(1);
    host(3) = T(3);
    host(5) = std::numeric_limits<T>::min();
    Kokkos::deep_copy(X, host);
    std::int64_t lost = -1;
    CHECK(f::gemm_integer_lost(s, 'L', 'N', 2, 2, X.data(), 3, 2, 0, &lost) == ABAX_SUCCESS);
    CHECK(lost == 1);
    CHECK(f::gemm_integer_lost(s, 'R', 'N', 2, 2, X.data(), 3, 2, 0, &lost) == ABAX_SUCCESS);
    CHECK(lost == 0);
    CHECK(f::gemm_integer_lost(s, 'R', 'T', 2, 2, X.data(), 3, 2, 0, &lost) == ABAX_SUCCESS);
    CHECK(lost == 1);
    CHECK(f::gemm_integer_lost(s, 'R', 'T', 2, 0, nullptr, 3, 2, 0, &lost) == ABAX_SUCCESS);
    CHECK(lost == 0);
  });
}

TEST_CASE("abax.h multiplies bytes exactly, modulo 2^32", "[c_interface][integer]") {
  for_each_place([]<class Exec>(const Exec& exec, abax_place place) {
    const auto bytes = [](index_t size, std::uint64_t seed) {
      memory_of<std::int8_t, Exec> memory("bytes", size);
      const auto host = Kokkos::create_mirror_view(memory);
      random_bits random(seed);
      for (std::size_t e = 0; e < host.size(); ++e) host(e) = static_cast<std::int8_t>(random.below(256) - 128);
      Kokkos::deep_copy(memory, host);
      return memory;
    };
    const auto A = bytes(2000, 1), B = bytes(2000, 2);
    constexpr std::int32_t alpha = 1'000'003, beta = -77;
    const memory_of<std::int32_t, Exec> C("C", 1000), D("D", 1000);
    const auto start = Kokkos::create_mirror_view(C);
    for (std::size_t e = 0; e < start.size(); ++e) start(e) = 1'000'000 * static_cast<std::int32_t>(e);
    Kokkos::deep_copy(C, start);
    Kokkos::deep_copy(D, start);
    for (const unsigned options : {0U, unsigned(ABAX_TRUST_OPERANDS)}) {
      const stream_handle stream = open(place, options);
      abax_stream* const s = stream.get();
      REQUIRE(abax_gemm_int8(s, 'T', 'n', 13, 9, 17, alpha, A.data(), 2, 41, B.data(), 43, 2, beta, C.data(), 37, 3) ==
              ABAX_SUCCESS);
      REQUIRE(abax_fence(s) == ABAX_SUCCESS);
      abax::gemm(exec, "T", "N", alpha, matrix_at<std::int8_t, Exec>(A, 17, 13, 2, 41),
                 matrix_at<std::int8_t, Exec>(B, 17, 9, 43, 2), beta, matrix_at<std::int32_t, Exec>(D, 13, 9, 37, 3));
      exec.fence();
      const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
      const auto want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), D);
      for (std::size_t e = 0; e < got.size(); ++e) REQUIRE(got(e) == want(e));
      // Without terms, or with alpha = 0, neither A nor B is read.
      REQUIRE(abax_gemm_int8(s, 'N', 'N', 3, 4, 5, 0, nullptr, 1, 3, nullptr, 1, 5, 0, C.data(), 1, 3) == ABAX_SUCCESS);
      REQUIRE(abax_fence(s) == ABAX_SUCCESS);
      Kokkos::deep_copy(C, D);
      const auto refused = [&](abax_status status, const char* words) {
        CAPTURE(words, options);
        CHECK(status == ABAX_INVALID_ARGUMENT);
        CHECK_THAT(abax_message(s), ContainsSubstring(words));
      };
      const std::int8_t *const a = A.data(), *const b = B.data();
      std::int32_t* const c = C.data();
      refused(abax_gemm_int8(s, 'X', 'N', 2, 2, 2, 1, a, 1, 2, b, 1, 2, 0, c, 1, 2), "abax::gemm: transA is 'X'");
      refused(abax_gemm_int8(s, 'N', 'X', 2, 2, 2, 1, a, 1, 2, b, 1, 2, 0, c, 1, 2), "transB is 'X'");
      refused(abax_gemm_int8(s, 'N', 'N', -1, 2, 2, 1, a, 1, 2, b, 1, 2, 0, c, 1, 2), "m is -1");
      refused(abax_gemm_int8(s, 'N', 'N', 2, -1, 2, 1, a, 1, 2, b, 1, 2, 0, c, 1, 2), "n is -1");
      refused(abax_gemm_int8(s, 'N', 'N', 2, 2, -1, 1, a, 1, 2, b, 1, 2, 0, c, 1, 2), "k is -1");
      refused(abax_gemm_int8(s, 'N', 'N', 2, 2, 2, 1, nullptr, 1, 2, b, 1, 2, 0, c, 1, 2), "A is a null pointer");
      refused(abax_gemm_int8(s, 'N', 'N', 2, 2, 2, 1, a, 1, 2, nullptr, 1, 2, 0, c, 1, 2), "B is a null pointer");
      refused(abax_gemm_int8(s, 'N', 'N', 2, 2, 2, 1, a, 1, 2, b, 1, 2, 0, nullptr, 1, 2), "C is a null pointer");
      refused(abax_gemm_int8(s, 'N', 'N', 2, 2, 2, 1, a, index_t(1) << 62, 2, b, 1, 2, 0, c, 1, 2),
              "does not fit the address space");
      if (options == 0)
        refused(abax_gemm_int8(s, 'N', 'N', 2, 2, 2, 1, a, 1, 2, b, 1, 2, 0, c, 1, 1), "name an element twice");
      REQUIRE(abax_fence(s) == ABAX_SUCCESS);
      CHECK(difference_between(C, D) == "");
    }
  });
}

TEMPLATE_TEST_CASE("abax.h refuses what is not prepared for a product, and writes nothing",
                   "[c_interface][integer][errors]", float, double) {
  using T = TestType;
  using f = functions<T>;
  using other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  constexpr int digits = std::numeric_limits<T>::digits;
  for_each_place([]<class Exec>(const Exec&, abax_place place) {
    const stream_handle stream = open(place);
    abax_stream* const s = stream.get();
    const memory_of<T, Exec> input("input", 64), output("output", 64);
    const memory_of<other, Exec> others("others", 64);
    Kokkos::deep_copy(input, T(2));
    Kokkos::deep_copy(output, T(7));
    Kokkos::deep_copy(others, other(2));
    const T* const x = input.data();
    T* const c = output.data();
    const auto refused = [&](abax_status status, const std::string& words) {
      CAPTURE(words, place);
      CHECK(status == ABAX_INVALID_ARGUMENT);
      CHECK_THAT(abax_message(s), ContainsSubstring(words));
    };
    const operand_handle left = prepare<T>(s, 'L', 'N', 4, 5, x, 1, 4), right = prepare<T>(s, 'R', 'N', 5, 3, x, 1, 5),
                         more = prepare<T>(s, 'R', 'N', 5, 3, x, 1, 5, digits + 1),
                         of_others = prepare<other>(s, 'L', 'N', 4, 5, others.data(), 1, 4);
    const auto multiply = [&](char ta, char tb, index_t m, index_t n, index_t k, const abax_integer_operand* a,
                              const abax_integer_operand* b, int bits = 0, index_t workspace = 0,
                              unsigned options = 0) {
      return f::gemm_integer_with(s, ta, tb, m, n, k, 1, a == nullptr ? x : nullptr, 1, 4, a,
                                  b == nullptr ? x : nullptr, 1, 5, b, 0, c, 1, m, bits, workspace, options);
    };
    refused(multiply('N', 'N', 3, 3, 5, left.get(), nullptr), "abax::gemm_integer: extent 0 of op(A) is 4, but m is 3");
    refused(multiply('N', 'N', 4, 3, 4, left.get(), nullptr), "abax::gemm_integer: extent 1 of op(A) is 5, but k is 4");
    refused(multiply('N', 'N', 4, 3, 4, nullptr, right.get()), "extent 0 of op(B) is 5, but k is 4");
    refused(multiply('N', 'N', 4, 2, 5, nullptr, right.get()), "extent 1 of op(B) is 3, but n is 2");
    refused(multiply('N', 'N', 5, 3, 3, right.get(), nullptr),
            "A was prepared as the operand \"R\", but \"L\" was expected");
    refused(multiply('N', 'N', 4, 5, 4, nullptr, left.get()),
            "B was prepared as the operand \"L\", but \"R\" was expected");
    refused(multiply('T', 'N', 4, 3, 5, left.get(), nullptr),
            "A was prepared from op(A), and transA is 'T', but \"N\" was expected");
    refused(multiply('N', 'C', 4, 3, 5, nullptr, right.get()),
            "B was prepared from op(B), and transB is 'C', but \"N\" was expected");
    refused(multiply('N', 'N', 4, 3, 5, left.get(), nullptr, digits - 1),
            "A was prepared with " + std::to_string(digits) + " bits, but " + std::to_string(digits - 1) +
                " were expected");
    refused(multiply('N', 'N', 4, 3, 5, left.get(), more.get()),
            "B was prepared with " + std::to_string(digits + 1) + " bits");
    refused(multiply('N', 'N', 4, 3, 5, left.get(), nullptr, 99), "bits is 99");
    refused(multiply('N', 'N', 4, 3, 5, of_others.get(), nullptr),
            std::is_same_v<T, float> ? "A was prepared of double numbers, but float ones were expected"
                                     : "A was prepared of float numbers, but double ones were expected");
    refused(multiply('N', 'N', 4, 3, 5, left.get(), right.get(), 0, -1), "workspace is -1, expected 0 or more");
    refused(multiply('N', 'N', 4, 3, 5, left.get(), right.get(), 0, 0, 1), "options is 1, expected 0 or");
    refused(multiply('N', 'N', 4, 3, 5, left.get(), right.get(), 0, 0, 4), "options is 4, expected 0 or");
    refused(multiply('X', 'N', 4, 3, 5, left.get(), right.get()), "transA is 'X'");
    refused(multiply('N', 'N', -4, 3, 5, left.get(), right.get()), "m is -4");
    refused(f::gemm_integer_with(s, 'N', 'N', 4, 5, 5, 1, nullptr, 0, 0, left.get(), x, 1, 5, nullptr, 0,
                                 const_cast<T*>(x), 1, 4, 0, 0, 0),
            "shares memory with input A");
    CHECK(multiply('N', 'N', 4, 3, 5, left.get(), right.get(), 0, 1) == ABAX_OUT_OF_RESOURCES);
    CHECK_THAT(abax_message(s), ContainsSubstring("a workspace of 1 bytes was allowed, but"));

    abax_integer_operand* made = left.get();
    const auto refused_operand = [&](abax_status status, const std::string& words) {
      refused(status, words);
      CHECK(made == nullptr);
      made = left.get();
    };
    const auto operand = [&](char side, char trans, index_t m, index_t n, const T* from, index_t rs, int bits) {
      return f::integer_operand(s, side, trans, m, n, from, rs, 4, bits, &made);
    };
    refused_operand(operand('U', 'N', 4, 5, x, 1, 0), "abax::integer_operand: side is 'U', expected \"L\" or \"R\"");
    refused_operand(operand('L', 'X', 4, 5, x, 1, 0), "abax::integer_operand: trans is 'X'");
    refused_operand(operand('L', 'N', -1, 5, x, 1, 0), "m is -1");
    refused_operand(operand('L', 'N', 4, index_t(1) << 60, x, 1, 0), "n is 1152921504606846976");
    refused_operand(operand('L', 'N', 4, 5, nullptr, 1, 0), "X is a null pointer");
    refused_operand(operand('L', 'N', 4, 5, x, index_t(1) << 61, 0), "X (4 x 5, strides ");
    refused_operand(operand('L', 'N', 4, 5, x, 1, digits + 9), "bits is " + std::to_string(digits + 9));
    refused(f::integer_operand(s, 'L', 'N', 4, 5, x, 1, 4, 0, nullptr), "operand is a null pointer");
    CHECK(f::integer_operand(nullptr, 'L', 'N', 4, 5, x, 1, 4, 0, &made) == ABAX_INVALID_ARGUMENT);
    CHECK(made == nullptr);
    abax_free_integer_operand(nullptr);

    std::int64_t lost = -7;
    refused(f::gemm_integer_lost(s, 'U', 'N', 4, 5, x, 1, 4, 0, &lost), "abax::gemm_integer_lost: side is 'U'");
    refused(f::gemm_integer_lost(s, 'L', 'X', 4, 5, x, 1, 4, 0, &lost), "abax::gemm_integer_lost: trans is 'X'");
    refused(f::gemm_integer_lost(s, 'L', 'N', -4, 5, x, 1, 4, 0, &lost), "m is -4");
    refused(f::gemm_integer_lost(s, 'L', 'N', 4, -5, x, 1, 4, 0, &lost), "n is -5");
    refused(f::gemm_integer_lost(s, 'L', 'N', 4, 5, nullptr, 1, 4, 0, &lost), "X is a null pointer");
    refused(f::gemm_integer_lost(s, 'L', 'N', 4, 5, x, 1, 4, 1, &lost), "bits is 1");
    refused(f::gemm_integer_lost(s, 'L', 'N', 4, 5, x, 1, 4, 0, nullptr), "lost is a null pointer");
    CHECK(lost == -7);
    REQUIRE(abax_fence(s) == ABAX_SUCCESS);
    const auto untouched = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), output);
    for (std::size_t e = 0; e < untouched.size(); ++e) CHECK(untouched(e) == T(7));

    // Without rows, columns or terms there is nothing to prepare, and it serves all the same.
    const operand_handle nothing = prepare<T>(s, 'L', 'N', 4, 0, nullptr, 1, 4);
    CHECK(f::gemm_integer_with(s, 'N', 'N', 4, 3, 0, 1, nullptr, 0, 0, nothing.get(), nullptr, 1, 1, nullptr, 2, c, 1,
                               4, 0, 0, 0) == ABAX_SUCCESS);
    REQUIRE(abax_fence(s) == ABAX_SUCCESS);
    const auto doubled = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), output);
    for (std::size_t e = 0; e < doubled.size(); ++e) CHECK(doubled(e) == (e < 12 ? T(14) : T(7)));
  });
}

#ifdef KOKKOS_ENABLE_CUDA
TEST_CASE("abax.h refuses what is prepared in another place", "[c_interface][integer][errors]") {
  const stream_handle on_host = open(ABAX_HOST), on_device = open(ABAX_DEVICE);
  const memory_of<double, Kokkos::HostSpace> x("x", 20), c("c", 12);
  const memory_of<double, Kokkos::DefaultExecutionSpace> y("y", 20), d("d", 12);
  const operand_handle here = prepare<double>(on_host.get(), 'L', 'N', 4, 5, x.data(), 1, 4),
                       there = prepare<double>(on_device.get(), 'L', 'N', 4, 5, y.data(), 1, 4);
  CHECK(abax_dgemm_integer_with(on_device.get(), 'N', 'N', 4, 3, 5, 1, nullptr, 0, 0, here.get(), y.data(), 1, 5,
                                nullptr, 0, d.data(), 1, 4, 0, 0, 0) == ABAX_INVALID_ARGUMENT);
  CHECK_THAT(abax_message(on_device.get()), ContainsSubstring("A was prepared on the host, but the device"));
  CHECK(abax_dgemm_integer_with(on_host.get(), 'N', 'N', 4, 3, 5, 1, nullptr, 0, 0, there.get(), x.data(), 1, 5,
                                nullptr, 0, c.data(), 1, 4, 0, 0, 0) == ABAX_INVALID_ARGUMENT);
  CHECK_THAT(abax_message(on_host.get()), ContainsSubstring("A was prepared on the device, but the host"));
}
#endif
