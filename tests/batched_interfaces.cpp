// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches as users call them: of vectors, by pointers, by Views, to tools; and the errors, after which nothing has been
// written.
#include <Kokkos_Core.hpp>
#include <abax/gemm.hpp>
#include <abax/gemm_batched.hpp>
#include <abax/gemv.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

#include "batch_operands.hpp"
#include "inputs.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

TEMPLATE_TEST_CASE("gemv_batched has the bits of gemv item by item", "[batched][sanitizer]", float, double) {
  using T = TestType;
  random_bits random(23);
  for (int turn = 0; turn < 80; ++turn) {
    const index_t items = 1 + random.below(30), m = random.below(turn < 70 ? 50 : 700), k = random.below(50);
    const bool t = random.below(2) == 0, share_a = random.below(4) == 0, share_x = random.below(4) == 0;
    const lie how = lie(random.below(lies - 1));
    const T alpha = T(1.5), beta = random.below(2) == 0 ? T(0) : T(-0.75);
    const operand_of<T> a(items, t ? k : m, t ? m : k, share_a ? lie::shared : how, 3, numbers::unit, 2 * turn),
        x(items, k, 1, share_x ? lie::shared : how, 1, numbers::unit, 2 * turn + 1),
        y(items, m, 1, how, 2, beta == T(0) ? numbers::nan : numbers::unit, 2 * turn + 5);
    std::vector<T> want = y.memory;
    for (index_t i = 0; i < items; ++i)
      y.put(want, i,
            abax::reference::gemv(t ? 'T' : 'N', alpha, a.item(share_a ? 0 : i), x.item(share_x ? 0 : i), beta,
                                  y.item(i)));
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      const placed<T, Exec> A(a), X(x), Y(y);
      const auto y_view = Kokkos::subview(Y.template view<T, 3>(), Kokkos::ALL, Kokkos::ALL, 0);
      const auto with_x = [&](const auto& a_view) {
        if (share_x)
          abax::gemv_batched(exec, t ? "T" : "N", alpha, a_view,
                             Kokkos::subview(X.template view<const T, 2>(), Kokkos::ALL, 0), beta, y_view);
        else
          abax::gemv_batched(exec, t ? "T" : "N", alpha, a_view,
                             Kokkos::subview(X.template view<const T, 3>(), Kokkos::ALL, Kokkos::ALL, 0), beta, y_view);
      };
      if (share_a)
        with_x(A.template view<const T, 2>());
      else
        with_x(A.template view<const T, 3>());
      exec.fence();
      CAPTURE(Exec::name(), items, m, k, t, share_a, share_x, int(how), beta);
      REQUIRE(Y.difference_from(want) == "");
    });
  }
}

TEMPLATE_TEST_CASE("Batches given by pointers, of one shape and of several", "[batched][sanitizer]", float, double) {
  using T = TestType;
  random_bits random(24);
  for (int turn = 0; turn < 24; ++turn) {
    const bool by_rows = turn % 2 == 1, grouped = turn % 3 == 0, ta = turn % 4 == 1, tb = turn % 4 >= 2;
    const index_t items = 1 + random.below(60);
    const T alpha = T(1.5), beta = turn % 5 == 0 ? T(0) : T(-0.75);
    std::vector<abax::gemm_item<T>> given;
    std::vector<operand_of<T>> a, b, c;
    std::vector<std::vector<T>> want;
    index_t m = 0, n = 0, k = 0;
    for (index_t i = 0; i < items; ++i) {
      if (i == 0 || (grouped && random.below(2) == 0)) {
        m = random.below(turn < 20 ? 40 : 90), n = random.below(40), k = random.below(40);
      }
      const lie how = by_rows ? lie::padded_rows : lie::padded_columns;
      a.emplace_back(1, ta ? k : m, ta ? m : k, how, index_t(random.below(4)), numbers::unit, 2 * i);
      b.emplace_back(1, tb ? n : k, tb ? k : n, how, index_t(random.below(4)), numbers::unit, 2 * i + 1);
      c.emplace_back(1, m, n, how, index_t(random.below(4)), beta == T(0) ? numbers::nan : numbers::unit, 2 * i + 6);
      const auto ld = [&](const operand_of<T>& o) { return by_rows ? o.row_stride : o.col_stride; };
      given.push_back({nullptr, nullptr, nullptr, m, n, k, ld(a.back()), ld(b.back()), ld(c.back())});
      want.push_back(c.back().memory);
      c.back().put(want.back(), 0,
                   abax::reference::gemm(ta ? 'T' : 'N', tb ? 'T' : 'N', alpha, a.back().item(0), b.back().item(0),
                                         beta, c.back().item(0)));
    }
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      using space = typename Exec::memory_space;
      std::vector<placed<T, Exec>> A, B, C;
      Kokkos::View<std::uintptr_t*, space> pointers("pointers", 3 * items);
      const auto host = Kokkos::create_mirror_view(pointers);
      std::vector<abax::gemm_item<T>> items_there = given;
      for (index_t i = 0; i < items; ++i) {
        A.emplace_back(a[i]), B.emplace_back(b[i]), C.emplace_back(c[i]);
        items_there[i].a = A[i].memory.data() + a[i].offset;
        items_there[i].b = B[i].memory.data() + b[i].offset;
        items_there[i].c = C[i].memory.data() + c[i].offset;
        host(i) = reinterpret_cast<std::uintptr_t>(items_there[i].a);
        host(items + i) = reinterpret_cast<std::uintptr_t>(items_there[i].b);
        host(2 * items + i) = reinterpret_cast<std::uintptr_t>(items_there[i].c);
      }
      Kokkos::deep_copy(pointers, host);
      const auto order = by_rows ? abax::storage::by_rows : abax::storage::by_columns;
      const char *trans_a = ta ? "T" : "N", *trans_b = tb ? "T" : "N";
      if (grouped) {
        abax::gemm_batched(exec, trans_a, trans_b, alpha, items_there.data(), beta, items, order);
      } else {
        const auto& one = given[0];
        T** const at = reinterpret_cast<T**>(pointers.data());
        abax::gemm_batched(exec, trans_a, trans_b, {one.m, one.n, one.k, one.lda, one.ldb, one.ldc}, alpha, at,
                           at + items, beta, at + 2 * items, items, order);
      }
      exec.fence();
      CAPTURE(Exec::name(), turn, items, m, n, k);
      for (index_t i = 0; i < items; ++i) REQUIRE(C[i].difference_from(want[i]) == "");
    });
  }
}

TEST_CASE("Batches accept Views of any layout, and agree with gemm of each item", "[batched]") {
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    using space = typename Exec::memory_space;
    Kokkos::View<double***, Kokkos::LayoutRight, space> A("A", 11, 8, 6), C("C", 11, 8, 7), one("one", 11, 8, 7);
    Kokkos::View<double***, Kokkos::LayoutLeft, space> B("B", 11, 6, 7);
    const auto fill = [](const auto& view) {
      const auto host = Kokkos::create_mirror_view(view);
      random_bits random(view.size());
      for (std::size_t e = 0; e < host.size(); ++e) host.data()[e] = random.unit<double>();
      Kokkos::deep_copy(view, host);
    };
    fill(A), fill(B);
    Kokkos::View<const double***, Kokkos::LayoutRight, space> constant = A;
    abax::gemm_batched(exec, "N", "N", 1.0, constant, B, 0.0, C);
    abax::gemm_batched("N", "N", 1.0, A, B, 0.0, C);
    for (int i = 0; i < 11; ++i)
      abax::gemm(exec, "N", "N", 1.0, Kokkos::subview(A, i, Kokkos::ALL, Kokkos::ALL),
                 Kokkos::subview(B, i, Kokkos::ALL, Kokkos::ALL), 0.0,
                 Kokkos::subview(one, i, Kokkos::ALL, Kokkos::ALL));
    exec.fence();
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
    const auto want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), one);
    REQUIRE(std::memcmp(got.data(), want.data(), sizeof(double) * got.size()) == 0);
  });
}

TEST_CASE("Arrays of pointers that need not be read are not", "[batched]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  std::vector<double> memory(4 * 6, 3.0);
  double* const c[] = {memory.data(), memory.data() + 6, memory.data() + 12, memory.data() + 18};
  const auto* const nowhere = reinterpret_cast<const double* const*>(std::uintptr_t(64));
  abax::gemm_batched(exec, "N", "N", {2, 3, 5, 2, 5, 2}, 0.0, nowhere, nowhere, 2.0, c, 4);
  for (const double value : memory) REQUIRE(value == 6.0);
  abax::gemm_batched(exec, "N", "N", {2, 3, 0, 2, 1, 2}, 1.0, nowhere, nowhere, 0.5, c, 4);
  for (const double value : memory) REQUIRE(value == 3.0);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_CASE("A batch's items side by side where parallel regions nest", "[batched]") {
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  const index_t items = 16, n = 90;
  std::vector<float> a(items * n * n, 1.0F), c(items * n * n, -1.0F);
  using Views = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  abax::gemm_batched(Kokkos::OpenMP(), "N", "N", 1.0F, Views(a.data(), items, n, n), Views(a.data(), items, n, n), 0.0F,
                     Views(c.data(), items, n, n));
  omp_set_max_active_levels(levels);
  for (const float value : c) REQUIRE(value == float(n));
}

TEST_CASE("A batch is one launch to tools, which may have every instance fenced", "[batched]") {
  static std::vector<std::string> seen;
  using namespace Kokkos::Tools::Experimental;
  using Views = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const index_t n = 90;
  for (const index_t items : {1, 3, 16, 64}) {
    seen.clear();
    std::vector<float> a(items * n * n, 1.0F), c(items * n * n, -1.0F);
    const Views A(a.data(), items, n, n), C(c.data(), items, n, n);
    const auto before = get_callbacks();
    set_begin_parallel_for_callback([](const char* label, std::uint32_t, std::uint64_t*) { seen.emplace_back(label); });
    abax::gemm_batched(Kokkos::OpenMP(), "N", "N", 1.0F, A, A, 0.0F, C);
    set_callbacks(before);
    CHECK(seen == std::vector<std::string>{"abax::gemm_batched"});
    for (const float value : c) REQUIRE(value == float(n));
  }
}
#endif

TEST_CASE("Batches that cannot be computed are refused, and nothing is written", "[batched][errors]") {
  using Catch::Matchers::ContainsSubstring;
  using Views = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Kokkos::View<float*, Kokkos::HostSpace> memory("memory", 5000);
  Views A(memory.data(), 5, 4, 3), B(memory.data() + 1000, 5, 3, 6), C(memory.data() + 2000, 5, 4, 6);
  Kokkos::deep_copy(memory, 3.0F);
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto refused = [&](const auto& call, const std::vector<std::string>& words) {
    std::string message;
    try {
      call();
    } catch (const abax::invalid_argument& error) {
      message = error.what();
    }
    for (const std::string& word : words) CHECK_THAT(message, ContainsSubstring(word));
    for (int e = 0; e < 5000; ++e) REQUIRE(memory(e) == 3.0F);
  };
  const auto gemm = [&](const char* ta, const auto& a, const auto& b, const auto& c) {
    return [=] { abax::gemm_batched(exec, ta, "N", 1.0F, a, b, 0.0F, c); };
  };
  refused(gemm("X", A, B, C), {"abax::gemm_batched", "transA", "'X'"});
  refused(gemm("T", A, B, C), {"op(A)", "3", "4", "C"});
  refused(gemm("N", Views(memory.data(), 4, 4, 3), B, C), {"extent 0 of A is 4", "extent 0 of C is 5"});
  refused(gemm("N", A, Views(memory.data() + 1000, 5, 2, 6), C), {"op(A) is 3", "op(B) is 2"});
  refused(gemm("N", A, Views(memory.data() + 1000, 5, 3, 5), C), {"op(B) is 5", "C is 6"});
  refused(gemm("N", A, B, Views(memory.data() + 36, 5, 4, 6)), {"output C", "shares memory", "input A"});
  refused(gemm("N", A, B, Views(memory.data() + 1089, 5, 4, 6)), {"output C", "shares memory", "input B"});
  refused(gemm("N", A, B, Views(nullptr, 5, 4, 6)), {"C (4 x 6) is null"});
  using Strided = Kokkos::View<float***, Kokkos::LayoutStride, Kokkos::HostSpace>;
  refused(gemm("N", A, B, Strided(memory.data() + 2000, Kokkos::LayoutStride(5, 0, 4, 6, 6, 1))),
          {"output C", "name an element twice"});
  refused(gemm("N", A, B, Strided(memory.data() + 2000, Kokkos::LayoutStride(5, 20, 4, 6, 6, 1))),
          {"output C (4 x 6)", "name an element twice"});
  // Of C's items of two rows the first's last is the third's first.
  refused(gemm("N", Strided(memory.data(), Kokkos::LayoutStride(3, 100, 2, 3, 3, 1)),
               Strided(memory.data() + 1000, Kokkos::LayoutStride(3, 100, 3, 1, 1, 1)),
               Strided(memory.data() + 2000, Kokkos::LayoutStride(3, 2, 2, 4, 1, 1))),
          {"output C (2 x 1)", "name an element twice"});
  // One item alone.
  refused(gemm("N", Views(memory.data(), 1, 4, 3), Views(memory.data() + 1000, 1, 3, 6),
               Views(memory.data() + 11, 1, 4, 6)),
          {"output C", "shares memory", "input A"});
  // A's third item lies in C's last.
  refused(gemm("N", Strided(memory.data(), Kokkos::LayoutStride(5, 1000, 4, 3, 3, 1)), B,
               Strided(memory.data() + 1900, Kokkos::LayoutStride(5, 24, 4, 6, 6, 1))),
          {"output C", "shares memory", "input A"});
  float* pointer = memory.data();
  refused(
      [&] {
        abax::gemm_batched(exec, "N", "N", {4, 5, 6, 3, 6, 4}, 1.0F, &pointer, &pointer, 0.0F, &pointer, 1);
      },
      {"leading dimension of A is 3", "4"});
  refused(
      [&] {
        abax::gemm_batched(exec, "N", "N", {4, -5, 6, 4, 6, 4}, 1.0F, &pointer, &pointer, 0.0F, &pointer, 1);
      },
      {"n is -5"});
  const abax::gemm_item<float> items[] = {{pointer, pointer, pointer, 2, 2, 2, 2, 2, 2},
                                          {pointer, nullptr, pointer, 2, 2, 2, 2, 2, 2}};
  refused([&] { abax::gemm_batched(exec, "N", "N", 1.0F, items, 0.0F, 2); }, {"B of item 1", "null"});
}
