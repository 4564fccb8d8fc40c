// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex elements may lie on multiples of their parts' size, not of their own: vectors and matrices that begin one
// real number late, by every kernel that moves elements whole where it can.
#include <abax/dot.hpp>
#include <abax/gemm_batched.hpp>
#include <abax/gemv.hpp>
#include <abax/reductions.hpp>
#include <abax/stream.hpp>
#include <abax/transpose.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <type_traits>

#include "abax/detail/launch/trace.hpp"
#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
using abax::reference::complex;

namespace {

/// A matrix column by column in memory of Exec, `late` real numbers from its beginning, and as many more behind it.
template <class R, class Exec>
class late_matrix {
  using T = complex<R>;
  using memory = Kokkos::View<R*, typename Exec::memory_space>;
  static constexpr R untouched = 7;

 public:
  late_matrix(const matrix<T>& given, int late)
      : given_(given), late_(late), memory_("operand", 2 * late + 2 * given.elements.size()) {
    restore();
  }
  void restore() const {
    const auto host = Kokkos::create_mirror_view(memory_);
    for (std::size_t e = 0; e < host.size(); ++e) host(e) = untouched;
    if (!given_.elements.empty()) std::memcpy(host.data() + late_, given_.elements.data(), bytes());
    Kokkos::deep_copy(memory_, host);
  }
  template <class Layout = Kokkos::LayoutLeft>
  auto view() const {  // LayoutRight: of the transpose
    const std::size_t rows = given_.rows, cols = given_.cols;
    const bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
    return Kokkos::View<T**, Layout, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(first(), left ? rows : cols,
                                                                                           left ? cols : rows);
  }
  auto vector() const {
    return Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(first(), given_.elements.size());
  }
  /// Whether the elements are those of `want` and nothing beside them has changed.
  bool is(const matrix<T>& want) const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory_);
    bool same = want.elements.empty() || std::memcmp(host.data() + late_, want.elements.data(), bytes()) == 0;
    for (int e = 0; e < late_; ++e) same = same && host(e) == untouched && host(host.size() - 1 - e) == untouched;
    return same;
  }

 private:
  std::size_t bytes() const { return sizeof(T) * given_.elements.size(); }
  T* first() const { return reinterpret_cast<T*>(memory_.data() + late_); }

  matrix<T> given_;
  int late_;
  memory memory_;
};

}  // namespace

// `late` is 1 where elements lie off multiples of their size, and 2 where those of complex<float> lie off multiples of
// 16 bytes.
TEMPLATE_TEST_CASE("Complex vectors may lie on multiples of their parts' size", "[complex][offsets][sanitizer]", float,
                   double) {
  using R = TestType;
  using T = complex<R>;
  const T alpha(R(1.25), R(-0.5)), beta(R(-0.75), R(0.375));
  for (const int late : {1, 2})
    for (const index_t n : {1, 33, 600, 2100}) {
      const auto x = random_complex<R>(n, 1, numbers::special, n), y = random_complex<R>(n, 1, numbers::unit, n + 1);
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        const late_matrix<R, Exec> X(x, late), Y(y, late), Z(y, 2);
        CAPTURE(Exec::name(), late, n);
        const auto x_view = X.vector(), y_view = Y.vector(), z_view = Z.vector();
        REQUIRE(same_bits(T(abax::dot(exec, x_view, y_view)), abax::reference::dot(x, y, false)));
        REQUIRE(same_bits(T(abax::dotc(exec, z_view, x_view)), abax::reference::dot(y, x, true)));
        REQUIRE(same_bits(R(abax::asum(exec, y_view)), abax::reference::asum(y)));
        REQUIRE(same_bits(R(abax::nrm2(exec, y_view)), abax::reference::nrm2(y)));
        REQUIRE(abax::iamax(exec, y_view) == abax::reference::iamax(y));
        abax::axpby(exec, alpha, x_view, beta, y_view);
        exec.fence();
        REQUIRE(Y.is(abax::reference::axpby(alpha, x, beta, y)));
        Y.restore();
        abax::triad(exec, alpha, x_view, y_view, z_view);
        exec.fence();
        REQUIRE(Z.is(abax::reference::axpby(alpha, x, T(1, 0), y)));
        abax::copy(exec, x_view, y_view);
        exec.fence();
        REQUIRE(Y.is(x));
        abax::scal(exec, z_view, alpha, x_view);
        exec.fence();
        REQUIRE(Z.is(abax::reference::axpby(alpha, x, T(0, 0), x)));
        REQUIRE(X.is(x));
      });
    }
}

TEMPLATE_TEST_CASE("Complex matrices may lie on multiples of their parts' size", "[complex][offsets][sanitizer]", float,
                   double) {
  using R = TestType;
  using T = complex<R>;
  constexpr struct {
    int a, b;  ///< by how much A and B are late
  } all_late[] = {{0, 0}, {1, 1}, {2, 2}, {2, 1}, {1, 2}};
  for (const auto& late : all_late)
    for (const auto& [rows, cols] : {std::pair<index_t, index_t>{33, 70}, {66, 66}, {1, 5}, {130, 70}}) {
      const auto a = random_complex<R>(rows, cols, numbers::special, rows),
                 b = random_complex<R>(cols, rows, numbers::unit, cols);
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        const late_matrix<R, Exec> A(a, late.a), B(b, late.b);
        CAPTURE(Exec::name(), late.a, late.b, rows, cols);
        for (const bool conjugated : {false, true}) {
          const auto want = abax::reference::transpose(a, conjugated);
          const auto turn = [&](const auto& from, const auto& to) {
            conjugated ? abax::conjugate_transpose(exec, from, to) : abax::transpose(exec, from, to);
          };
          turn(A.view(), B.view());
          exec.fence();
          REQUIRE(B.is(want));
          B.restore();
          turn(A.template view<Kokkos::LayoutRight>(), B.template view<Kokkos::LayoutRight>());
          exec.fence();
          REQUIRE(B.is(want));
          B.restore();
          if (rows != cols) continue;
          for (const bool right : {false, true}) {
            const auto in_place = [&](const auto& view) {
              conjugated ? abax::conjugate_transpose(exec, view) : abax::transpose(exec, view);
            };
            right ? in_place(A.template view<Kokkos::LayoutRight>()) : in_place(A.view());
            exec.fence();
            REQUIRE(A.is(want));
            A.restore();
          }
        }
        // Between memory that runs along rows and memory that runs along columns: elements one by one.
        const auto sum = abax::reference::axpby(T(2, 1), a, T(1, -1), abax::reference::transpose(b, false));
        if (rows != 1) {
          abax::axpby(exec, T(2, 1), A.view(), T(1, -1), B.template view<Kokkos::LayoutRight>());
          exec.fence();
          REQUIRE(B.is(abax::reference::transpose(sum, false)));
        }
        REQUIRE(A.is(a));
      });
    }
}

// A comes 16 bytes at a time where its lines lie so, x where its elements lie on multiples of their size.
TEMPLATE_TEST_CASE("Complex gemv takes lines that begin anywhere", "[complex][offsets][gemv][sanitizer]", float,
                   double) {
  using R = TestType;
  using T = complex<R>;
  const T alpha(R(1.25), R(-0.5)), beta(R(-0.75), R(0.375));
  constexpr struct {
    int a, x;  ///< by how much A is late, and x and y
  } all_late[] = {{1, 1}, {2, 2}, {4, 4}, {4, 1}, {4, 2}};
  for (const auto& late : all_late)
    for (const auto& [m, k] : {std::pair<index_t, index_t>{16, 64}, {50, 70}, {33, 66}, {18, 1090}, {1090, 18}}) {
      const auto a = random_complex<R>(m, k, numbers::unit, m), x = random_complex<R>(k, 1, numbers::unit, k),
                 y = random_complex<R>(m, 1, numbers::unit, m + k);
      for_each_space([&](const auto& exec) {
        using Exec = std::decay_t<decltype(exec)>;
        const late_matrix<R, Exec> A(a, late.a), X(x, late.x), Y(y, late.x);
        CAPTURE(Exec::name(), late.a, late.x, m, k);
        abax::gemv(exec, "N", alpha, A.view(), X.vector(), beta, Y.vector());
        exec.fence();
        REQUIRE(Y.is(abax::reference::gemm('N', 'N', alpha, a, x, beta, y)));
        for (const char op : {'T', 'C'}) {
          const late_matrix<R, Exec> Z(x, late.x);
          const auto want = abax::reference::gemm(op, 'N', alpha, a, y, beta, x);
          Y.restore();
          abax::gemv(exec, op == 'T' ? "T" : "C", alpha, A.view(), Y.vector(), beta, Z.vector());
          exec.fence();
          REQUIRE(Z.is(want));
        }
        REQUIRE(A.is(a));
        REQUIRE(X.is(x));
      });
    }
}

// Where a row wrongly serves nothing, results stay right, and time alone is lost.
TEMPLATE_TEST_CASE("A GPU's rows of complex elements serve the operands that they are for", "[complex][offsets]", float,
                   double) {
#ifdef KOKKOS_ENABLE_CUDA
  using R = TestType;
  using T = complex<R>;
  constexpr bool in_float = std::is_same_v<R, float>;
  const Kokkos::Cuda exec;
  const T one(1, 0), zero(0, 0);
  const matrix<T> vector(3000, 1, one), square(66, 66, one), tall(1100, 34, one), items(8, 8 * 20, one);
  const auto row_of = [&](const auto& call) {
    abax::launch::trace seen{};
    abax::launch::tracing = &seen;
    abax::launch::any_traced = true;
    call();
    abax::launch::any_traced = false;
    abax::launch::tracing = nullptr;
    exec.fence();
    return std::string(seen.row_count == 1 ? seen.rows[0] : "not one row");
  };
  const char* const streams[] = {in_float ? "stream by chunks" : "stream by elements", "stream by parts",
                                 "stream by elements"};
  const char* const transposes[] = {in_float ? "transpose by chunks" : "transpose by sectors", "portable",
                                    "transpose by sectors"};
  const char* const in_place[] = {in_float ? "in place by chunks" : "in place by elements", "portable",
                                  "in place by elements"};
  const char* const gemvs[] = {"complex 16 rows", "64x1x16",
                               in_float ? "complex 16 rows, unaligned" : "complex 16 rows"};
  for (const int late : {0, 1, 2}) {
    CAPTURE(late);
    const late_matrix<R, Kokkos::Cuda> X(vector, late), Y(vector, late), A(square, late), B(square, late);
    const auto x = X.vector(), y = Y.vector();
    const char* const reductions = late == 1 ? "reduction by elements" : "reduction by pairs";
    REQUIRE(row_of([&] { static_cast<void>(abax::dotc(exec, x, y)); }) == reductions);
    REQUIRE(row_of([&] { static_cast<void>(abax::nrm2(exec, x)); }) == reductions);
    REQUIRE(row_of([&] { abax::axpby(exec, one, x, one, y); }) == streams[late]);
    REQUIRE(row_of([&] { abax::copy(exec, x, y); }) == streams[late]);
    REQUIRE(row_of([&] { abax::conjugate_transpose(exec, A.view(), B.view()); }) == transposes[late]);
    REQUIRE(row_of([&] { abax::transpose(exec, A.view()); }) == in_place[late]);
    const late_matrix<R, Kokkos::Cuda> M(tall, late), V(matrix<T>(34, 1, one), late), W(matrix<T>(1100, 1, one), late);
    REQUIRE(row_of([&] { abax::gemv(exec, "C", one, M.view(), W.vector(), zero, V.vector()); }) == gemvs[late]);
    const late_matrix<R, Kokkos::Cuda> P(items, late), Q(items, late), S(items, late);
    const auto batch = [](const auto& of) {
      using view = Kokkos::View<T***, Kokkos::LayoutStride, Kokkos::CudaSpace, Kokkos::MemoryUnmanaged>;
      return view(of.view().data(), Kokkos::LayoutStride(20, 64, 8, 1, 8, 8));
    };
    REQUIRE(row_of([&] { abax::gemm_batched(exec, "N", "C", one, batch(P), batch(Q), zero, batch(S)); }) ==
            "small complex batch");
  }
#else
  SKIP("this build has no CUDA");
#endif
}
