// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, copies and sums inside kernels have the bits of the canon, whoever calls them, and write nothing else.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "inputs.hpp"
#include "operands.hpp"
#include "spaces.hpp"
#include "team_kernels.hpp"

using namespace abax::tests;
namespace tile = abax::tile;

namespace {

template <class Visit>
void for_each_team(const Visit& visit) {
  abax::tests::for_each_team({7, 32, 33, 128}, visit);
}

template <class T>
struct scalars {
  T alpha, beta;
};
template <class T>
scalars<T> some_scalars(int turn) {
  const scalars<T> all[] = {{T(1), T(0)},   {T(1.25), T(-0.75)}, {T(-0.5), T(1)}, {T(0), T(2)},
                            {T(1), T(0.5)}, {T(0), T(1)},        {T(0), T(0)},    {T(2.5), T(0)}};
  return all[turn % 8];
}

std::vector<extents> some_extents() {
  // Turn by turn with some_scalars(): the first three, the fifth and the next four have products.
  std::vector<extents> all{{65, 9, 600}, {36, 8, 2049}, {5, 3, 4097}, {0, 3, 2},    {129, 65, 37}, {3, 0, 2},
                           {3, 2, 0},    {64, 64, 64},  {1, 1, 1},    {4, 3, 0},    {33, 17, 5},   {9, 9, 9},
                           {70, 1, 33},  {7, 5, 3},     {2, 2, 2},    {32, 32, 32}, {1, 70, 9},    {16, 16, 16}};
  random_bits random(7);
  for (int i = 0; i < 20; ++i) all.push_back({random.below(71), random.below(71), random.below(71)});
  return all;
}

constexpr numbers kinds[] = {numbers::unit,      numbers::special,   numbers::unit,
                             numbers::vanishing, numbers::subnormal, numbers::wide};

// A product's operands as they are stored, and what C must become. What must not be read is NaN.
template <class T>
struct problem {
  T alpha, beta;
  matrix<T> a, b, c, want;

  problem(extents e, char op_a, char op_b, int turn) : problem(e, op_a, op_b, some_scalars<T>(turn), turn) {}
  problem(extents e, char op_a, char op_b, scalars<T> s, int turn)
      : alpha(s.alpha),
        beta(s.beta),
        a(random_matrix<T>(op_a == 'N' ? e.m : e.k, op_a == 'N' ? e.k : e.m, kind(turn, s.alpha), 2)),
        b(random_matrix<T>(op_b == 'N' ? e.k : e.n, op_b == 'N' ? e.n : e.k, kind(turn, s.alpha), 3)),
        c(random_matrix<T>(e.m, e.n, kind(turn, s.beta), 4)),
        want(abax::reference::gemm(op_a, op_b, alpha, a, b, beta, c)) {}
  static numbers kind(int turn, T scalar) { return scalar == 0 ? numbers::nan : kinds[turn % 6]; }
};

template <char OpA, char OpB, class LayoutA, class LayoutB, class LayoutC, class T, class Exec>
void check_gemm(const Exec& exec, int size, int vector, const placements& where) {
  int turn = 0;
  for (const extents& e : some_extents()) {
    const problem<T> p(e, OpA, OpB, turn++);
    const operand<T, Exec> A(p.a, where.a), B(p.b, where.b), C(p.c, where.c);
    const auto a = A.template view<LayoutA, const T>();
    const auto b = B.template view<LayoutB, const T>();
    const auto c = C.template view<LayoutC>();
    run_team(exec, size, vector, 0,
             team_gemm<OpA, OpB, T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
    CAPTURE(Exec::name(), size, vector, OpA, OpB, e.m, e.n, e.k, p.alpha, p.beta, where.a.text(), where.b.text(),
            where.c.text());
    REQUIRE(C.difference_from(p.want) == "");
    REQUIRE(A.change() == "");
    REQUIRE(B.change() == "");
    if constexpr (on_host<Exec> && OpA == 'N' && OpB == 'N') {  // the register tiles of other machines
      C.restore();
      run_team(exec, size, vector, 0,
               register_gemm<OpA, OpB, T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
      REQUIRE(C.difference_from(p.want) == "");
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("A team's product has gemm's bits, whatever its ops and layouts", "[team][bits]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    check_gemm<'N', 'N', left, left, left, T>(exec, size, vector, {aligned_left, aligned_left, aligned_left});
    check_gemm<'N', 'N', left, left, left, T>(exec, size, vector, {odd_left, aligned_left, odd_left});
    check_gemm<'T', 'N', left, left, left, T>(exec, size, vector, {aligned_left, odd_left, odd_left});
    check_gemm<'N', 'C', left, left, left, T>(exec, size, vector, {aligned_left, aligned_left, odd_left});
    check_gemm<'T', 'T', left, left, left, T>(exec, size, vector, {odd_left, odd_left, aligned_left});
    check_gemm<'N', 'N', right, right, right, T>(exec, size, vector, {aligned_right, aligned_right, odd_right});
    check_gemm<'C', 'N', right, left, right, T>(exec, size, vector, {odd_right, aligned_left, aligned_right});
    check_gemm<'N', 'N', stride, right, stride, T>(exec, size, vector, {steps, odd_right, steps});
  });
}

TEMPLATE_TEST_CASE("A team's product is abax::gemm's and abax::serial::gemm's", "[team][bits][sanitizer]", float,
                   double) {
  using T = TestType;
  const problem<T> p({45, 38, 2100}, 'N', 'T', 1);
  const operand<T, Kokkos::DefaultExecutionSpace> A(p.a, odd_left), B(p.b, odd_right), C(p.c, aligned_left);
  const auto a = A.template view<left>();
  const auto b = B.template view<right>();
  const auto c = C.template view<left>();
  const Kokkos::DefaultExecutionSpace exec;
  abax::gemm(exec, "N", "T", p.alpha, a, b, p.beta, c);
  exec.fence();
  const matrix<T> whole = C.values();
  C.restore();
  run_team(exec, on_host<Kokkos::DefaultExecutionSpace> ? 1 : 128, 1, 0,
           team_gemm<'N', 'T', T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
  REQUIRE(C.difference_from(whole) == "");
  C.restore();
  Kokkos::parallel_for("serial", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(exec, 0, 1),
                       serial_gemm<'N', 'T', T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
  exec.fence();
  REQUIRE(C.difference_from(whole) == "");
}

namespace {

// All operands in scratch of the team: Views with extents of their own, or as static ones.
template <char OpA, char OpB, class Layout, class T, class Global>
struct scratch_gemm {
  T alpha, beta;
  Global a, b, c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using space = typename Member::execution_space::scratch_memory_space;
    using view = Kokkos::View<T**, Layout, space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const view as(member.team_scratch(0), a.extent(0), a.extent(1)),
        bs(member.team_scratch(0), b.extent(0), b.extent(1)), cs(member.team_scratch(0), c.extent(0), c.extent(1));
    abax::team::stage(member, a, as);
    abax::team::stage(member, b, bs);
    abax::team::copy(member, c, cs);
    abax::team::wait(member);
    abax::team::gemm<OpA, OpB>(member, alpha, as, bs, beta, cs);
    abax::team::copy(member, cs, c);
  }
};

// C's extents and the number of terms are compiled in; A and B lie in scratch tiles that declare how they are read.
template <char OpA, char OpB, int M, int N, int K, class T, class Global>
struct tiles_gemm {
  using a_tile = std::conditional_t<OpA == 'N', abax::scratch_tile<T, M, K, abax::access::read_columns>,
                                    abax::scratch_tile<T, K, M, abax::access::read_rows>>;
  using b_tile = std::conditional_t<OpB == 'N', abax::scratch_tile<T, K, N, abax::access::read_rows>,
                                    abax::scratch_tile<T, N, K, abax::access::read_columns>>;
  using c_tile = abax::scratch_tile<T, M, N>;
  static constexpr std::size_t scratch = a_tile::shmem_size() + b_tile::shmem_size() + c_tile::shmem_size();
  T alpha, beta;
  Global a, b, c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const a_tile as(member.team_scratch(0));
    const b_tile bs(member.team_scratch(0));
    const c_tile cs(member.team_scratch(0));
    abax::team::stage(member, a, as);
    abax::team::stage(member, b, bs);
    abax::team::stage(member, c, cs);
    abax::team::wait(member);
    abax::team::gemm<OpA, OpB>(member, alpha, as, bs, beta, cs);
    abax::team::copy(member, cs, c);
  }
};

// By 16 bytes: the operands that tensor cores and wide loads like best.
template <int M, int N, int K, class T, class Global>
struct chunks_gemm {
  using a_tile = abax::scratch_tile<T, M, K, abax::access::copy_rows, abax::access::multiply_rows>;
  using b_tile = abax::scratch_tile<T, K, N, abax::access::copy_rows, abax::access::multiply_columns>;
  static constexpr std::size_t scratch = a_tile::shmem_size() + b_tile::shmem_size();
  T alpha, beta;
  Global a, b, c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const a_tile as(member.team_scratch(0));
    const b_tile bs(member.team_scratch(0));
    abax::team::stage(member, a, as);
    abax::team::stage(member, b, bs);
    abax::team::wait<0>(member);
    abax::team::gemm(member, alpha, as, bs, beta, c);
  }
};

template <class T, class Exec, class Make>
void check_tiles(const Exec& exec, int size, int vector, extents e, char op_a, char op_b, int turn, const Make& make) {
  const problem<T> p(e, op_a, op_b, some_scalars<T>(turn % 3), turn);
  const operand<T, Exec> A(p.a, aligned_right), B(p.b, aligned_right), C(p.c, odd_right);
  make(exec, size, vector, p, A.template view<right>(), B.template view<right>(), C.template view<right>());
  CAPTURE(Exec::name(), size, vector, op_a, op_b, e.m, e.n, e.k, p.alpha, p.beta);
  REQUIRE(C.difference_from(p.want) == "");
  REQUIRE(A.change() == "");
  REQUIRE(B.change() == "");
}

template <char OpA, char OpB, int M, int N, int K, class T, class Exec>
void check_scratch_tiles(const Exec& exec, int size, int vector) {
  check_tiles<T>(
      exec, size, vector, {M, N, K}, OpA, OpB, M + N + K + size,
      [](const auto& exec, int size, int vector, const auto& p, const auto& a, const auto& b, const auto& c) {
        using kernel = tiles_gemm<OpA, OpB, M, N, K, T, std::decay_t<decltype(a)>>;
        run_team(exec, size, vector, kernel::scratch, kernel{p.alpha, p.beta, a, b, c});
      });
}
template <int M, int N, int K, class T, class Exec>
void check_chunks(const Exec& exec, int size, int vector) {
  check_tiles<T>(
      exec, size, vector, {M, N, K}, 'N', 'N', M + N + K + size,
      [](const auto& exec, int size, int vector, const auto& p, const auto& a, const auto& b, const auto& c) {
        using kernel = chunks_gemm<M, N, K, T, std::decay_t<decltype(a)>>;
        run_team(exec, size, vector, kernel::scratch, kernel{p.alpha, p.beta, a, b, c});
      });
}
template <int M, int N, int K, class T, class Exec>
void check_banked(const Exec& exec, int size) {
  using a_tile = abax::scratch_tile<T, M, K, abax::access::copy_rows, abax::access::multiply_rows>;
  using b_tile = abax::scratch_tile<T, K, N, abax::access::read_rows, abax::access::read_columns>;
  check_tiles<T>(
      exec, size, 1, {M, N, K}, 'N', 'N', M + N + K + size,
      [](const auto& exec, int size, int vector, const auto& p, const auto& a, const auto& b, const auto& c) {
        // Large enough for 16 bytes' alignment, too.
        Kokkos::View<T*, typename std::decay_t<decltype(exec)>::memory_space> as("as", a_tile::layout.size()),
            bs("bs", b_tile::layout.size());
        using kernel = banked_gemm<T, a_tile::layout, b_tile::layout, std::decay_t<decltype(a)>>;
        run_team(exec, size, vector, 0, kernel{p.alpha, p.beta, a, b, c, as.data(), bs.data()});
      });
}

}  // namespace

TEMPLATE_TEST_CASE("A team multiplies what lies in its scratch", "[team][bits]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check = [&]<char OpA, char OpB, class Layout>() {
      int turn = 1;
      for (const extents& e : some_extents()) {
        if (e.m > 70 || e.k > 70) continue;  // 40 KB hold three matrices of 40 x 40 doubles
        const extents small{e.m * 4 / 7, e.n * 4 / 7, e.k * 4 / 7};
        const problem<T> p(small, OpA, OpB, some_scalars<T>(turn % 3), turn);
        ++turn;
        const operand<T, Exec> A(p.a, odd_right), B(p.b, aligned_right), C(p.c, odd_right);
        const auto a = A.template view<right>(), b = B.template view<right>(), c = C.template view<right>();
        const std::size_t scratch = sizeof(T) * (a.size() + b.size() + c.size()) + 3 * 16;
        run_team(exec, size, vector, scratch,
                 scratch_gemm<OpA, OpB, Layout, T, std::decay_t<decltype(a)>>{p.alpha, p.beta, a, b, c});
        CAPTURE(Exec::name(), size, vector, OpA, OpB, small.m, small.n, small.k);
        REQUIRE(C.difference_from(p.want) == "");
      }
    };
    check.template operator()<'N', 'N', left>();
    check.template operator()<'T', 'N', right>();
  });
}

TEMPLATE_TEST_CASE("A team multiplies scratch tiles whose extents are compiled in", "[team][bits][sanitizer]", float,
                   double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    check_scratch_tiles<'N', 'N', 32, 32, 32, T>(exec, size, vector);
    check_scratch_tiles<'T', 'N', 16, 24, 12, T>(exec, size, vector);
    check_scratch_tiles<'N', 'T', 33, 7, 41, T>(exec, size, vector);
    check_scratch_tiles<'T', 'T', 1, 40, 3, T>(exec, size, vector);
    check_chunks<32, 32, 32, T>(exec, size, vector);
    check_chunks<64, 32, 16, T>(exec, size, vector);
    check_chunks<16, 8, 4, T>(exec, size, vector);
    check_chunks<48, 32, 16, T>(exec, size, vector);
    check_chunks<64, 64, 16, T>(exec, size, vector);
    check_chunks<72, 68, 20, T>(exec, size, vector);
    check_scratch_tiles<'N', 'T', 65, 67, 5, T>(exec, size, vector);
  });
}

TEST_CASE("Register tiles of more than 4 x 4 outputs are for large products in float", "[team]") {
  using abax::team::is_compiled;
  using complex = tile::complex<float>;
  for (const int which : {0, 1}) {  // 8 x 8, 8 x 4
    REQUIRE(abax::team::register_shapes[which].rows * abax::team::register_shapes[which].cols > 16);
    CHECK(is_compiled<float>(which, 64, 64, 2048));
    CHECK(is_compiled<float>(which, 128, 64, 1));
    for (const int other : {tile::any, 63, 65, 96}) {
      CHECK_FALSE(is_compiled<float>(which, other, 64, 32));
      CHECK_FALSE(is_compiled<float>(which, 64, other, 32));
    }
    for (const int terms : {tile::any, 2049}) CHECK_FALSE(is_compiled<float>(which, 64, 64, terms));
    CHECK_FALSE(is_compiled<double>(which, 64, 64, 32));
    CHECK_FALSE(is_compiled<complex>(which, 64, 64, 32));
  }
  CHECK(is_compiled<float>(2, 64, 64, 32));  // for teams of more threads than there are larger tiles
  CHECK(is_compiled<float>(2, tile::any, 96, tile::any));
}

TEMPLATE_TEST_CASE("Register tiles read what lies by a scratch tile's layout", "[team][bits]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    if constexpr (on_host<std::decay_t<decltype(exec)>>)  // elsewhere the tests of scratch tiles do
      if (vector == 1) {
        check_banked<64, 128, 32, T>(exec, size);
        check_banked<64, 64, 64, T>(exec, size);
        check_banked<32, 16, 8, T>(exec, size);
        check_banked<12, 20, 4, T>(exec, size);
      }
  });
}

namespace {

// Every thread writes the sum that it got.
template <class T, class X, class Y, class Sums>
struct team_dot {
  X x;
  Y y;
  Sums sums;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    T sum = abax::team::dot(member, x, y);
    if constexpr (on_host<typename Member::execution_space>) {  // and by what other machines do
      const tile::dot<T> terms{{{{x.data(), index_t(x.extent(0)), index_t(x.stride(0))},
                                 {y.data(), index_t(y.extent(0)), index_t(y.stride(0))}}}};
      const T other = abax::portable::in_kernel::dot(member, terms);
      if (Kokkos::bit_cast<bits_t<T>>(other) != Kokkos::bit_cast<bits_t<T>>(sum)) sum = T(-12345);
    }
    sums(member.team_rank()) = sum;
  }
};

// By way of a scratch tile whose place is that of whole tiles, in two stages.
template <class T, class A, class B>
struct team_stages {
  using half = abax::scratch_tile<T, 20, 32, abax::access::copy_rows>;
  A a;
  B b;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const half tile(member.team_scratch(0)), other(member.team_scratch(0));
    const int rows = static_cast<int>(a.extent(0)), cols = static_cast<int>(a.extent(1)), above = rows / 2;
    const auto part = [&](const auto& of, int begin, int end) {
      return Kokkos::subview(of, std::pair<int, int>(begin, end), Kokkos::ALL);
    };
    const auto first = tile.part(above, cols), second = other.part(rows - above, cols);
    abax::team::stage(member, part(a, 0, above), first);
    abax::team::stage(member, part(a, above, rows), second);
    abax::team::wait<1>(member);
    abax::team::copy(member, first, part(b, 0, above));
    abax::team::wait(member);
    abax::team::copy(member, second, part(b, above, rows));
  }
};

template <class T>
matrix<T> turned(const matrix<T>& m) {
  matrix<T> result(m.cols, m.rows);
  for (index_t j = 0; j < m.cols; ++j)
    for (index_t i = 0; i < m.rows; ++i) std::memcpy(&result(j, i), &m(i, j), sizeof(T));
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("A team's product with a vector has gemv's bits", "[team][bits]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check_one = [&]<char Op, class Layout>(extents e, const placement& where, const placement& at,
                                                      int turn) {
      const problem<T> p(e, Op, 'N', turn);
      const operand<T, Exec> A(p.a, where), X(p.b, at), Y(p.c, steps);
      const auto a = A.template view<Layout, const T>();
      const auto y = Kokkos::subview(Y.template view<stride>(), Kokkos::ALL, 0);
      const auto x = Kokkos::subview(X.template view<left, const T>(), Kokkos::ALL, 0);
      run_team(exec, size, vector, 0,
               team_gemv<Op, T, decltype(a), decltype(x), decltype(y)>{p.alpha, p.beta, a, x, y});
      CAPTURE(Exec::name(), size, vector, Op, e.m, e.k, p.alpha, p.beta);
      REQUIRE(Y.difference_from(p.want) == "");
    };
    int turn = 0;
    const auto check = [&]<char Op, class Layout>(const placement& where, const placement& at) {
      check_one.template operator()<Op, Layout>({1000, 1, 1003}, where, at, 0);
      check_one.template operator()<Op, Layout>({21, 1, 3000}, where, at, 2);
      for (const extents& e : some_extents())
        check_one.template operator()<Op, Layout>({e.m, 1, e.k}, where, at, turn++);
    };
    check.template operator()<'N', left>(odd_left, aligned_left);
    check.template operator()<'T', left>(aligned_left, odd_left);
    check.template operator()<'N', stride>(steps, aligned_left);
  });
}

TEMPLATE_TEST_CASE("A team's dot product has dot's bits, for every thread", "[team][bits]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    std::vector<index_t> sizes{0, 1, 31, 33, 64, 65, 1023, 1024, 1025, 2048, 5000, 65536};
    if (size == 1 || size == 128) sizes.push_back((1 << 20) + 1500);  // three levels
    int turn = 0;
    for (const index_t n : sizes) {
      const numbers kind = kinds[turn++ % 6];
      const matrix<T> x = random_matrix<T>(n, 1, kind, 2), y = random_matrix<T>(n, 1, kind, 3);
      const matrix<T> want(size, 1, abax::reference::dot(x, y));
      const operand<T, Exec> X(x, odd_left), Y(y, steps), S(matrix<T>(size, 1, T(3)), odd_left);
      const auto xs = Kokkos::subview(X.template view<left, const T>(), Kokkos::ALL, 0);
      const auto ys = Kokkos::subview(Y.template view<stride>(), Kokkos::ALL, 0);
      const auto sums = Kokkos::subview(S.template view<left>(), Kokkos::ALL, 0);
      run_team(exec, size, vector, 0, team_dot<T, decltype(xs), decltype(ys), decltype(sums)>{xs, ys, sums});
      CAPTURE(Exec::name(), size, vector, n, name_of(kind));
      REQUIRE(S.difference_from(want) == "");
    }
  });
}

TEMPLATE_TEST_CASE("A team's copies and transposes move every bit, and only theirs", "[team]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check = [&]<bool Transposed, class From, class To>(const placement& from, const placement& to) {
      for (const extents& e : some_extents()) {
        const matrix<T> a = random_matrix<T>(e.m, e.n, numbers::special, 5), want = Transposed ? turned(a) : a;
        const operand<T, Exec> A(a, from), B(random_matrix<T>(want.rows, want.cols, numbers::unit, 6), to);
        const auto av = A.template view<From, const T>();
        const auto bv = B.template view<To>();
        run_team(exec, size, vector, 0, team_move < Transposed ? moves::transpose : moves::copy, decltype(av),
                 decltype(bv) > {av, bv});
        CAPTURE(Exec::name(), size, vector, Transposed, e.m, e.n, from.text(), to.text());
        REQUIRE(B.difference_from(want) == "");
        REQUIRE(A.change() == "");
      }
    };
    check.template operator()<false, left, left>(aligned_left, aligned_left);
    check.template operator()<false, right, right>(aligned_right, odd_right);
    check.template operator()<false, left, right>(odd_left, odd_right);
    check.template operator()<true, left, left>(aligned_left, odd_left);
    check.template operator()<true, right, left>(aligned_right, aligned_left);
    check.template operator()<true, stride, right>(steps, odd_right);
  });
}

TEMPLATE_TEST_CASE("Stages arrive in their order", "[team][sanitizer]", float, double) {
  using T = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const extents& e : {extents{40, 32, 0}, extents{13, 31, 0}, extents{2, 1, 0}, extents{0, 4, 0}})
      for (const placement& where : {aligned_right, odd_right}) {
        const matrix<T> a = random_matrix<T>(e.m, e.n, numbers::special, 8);
        const operand<T, Exec> A(a, where), B(random_matrix<T>(e.m, e.n, numbers::unit, 9), odd_right);
        const auto av = A.template view<right, const T>();
        const auto bv = B.template view<right>();
        using kernel = team_stages<T, decltype(av), decltype(bv)>;
        run_team(exec, size, vector, 2 * kernel::half::shmem_size(), kernel{av, bv});
        CAPTURE(Exec::name(), size, vector, e.m, e.n, where.text());
        REQUIRE(B.difference_from(a) == "");
      }
  });
}

TEMPLATE_TEST_CASE("A thread's own product has gemm's bits", "[serial][bits]", float, double) {
  using T = TestType;
  for_each_space([](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check = [&]<char OpA, char OpB, class Layout>(const placement& where) {
      int turn = 0;
      for (const extents& e : some_extents()) {
        const problem<T> p(e, OpA, OpB, turn++);
        const operand<T, Exec> A(p.a, where), B(p.b, where), C(p.c, where);
        const auto a = A.template view<Layout, const T>(), b = B.template view<Layout, const T>();
        const auto c = C.template view<Layout>();
        Kokkos::parallel_for("serial", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                             serial_gemm<OpA, OpB, T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
        exec.fence();
        CAPTURE(Exec::name(), OpA, OpB, e.m, e.n, e.k, p.alpha, p.beta, where.text());
        REQUIRE(C.difference_from(p.want) == "");
        if constexpr (on_host<Exec>) {  // the register tiles of a thread elsewhere
          C.restore();
          using abax::team::operand_of;
          tile::serial_product(abax::team::op_of<OpA>(operand_of<void>(a)),
                               abax::team::op_of<OpB>(operand_of<void>(b)).transposed(), operand_of<void>(c),
                               tile::epilogue<T>{p.alpha, p.beta});
          REQUIRE(C.difference_from(p.want) == "");
        }
      }
    };
    check.template operator()<'N', 'N', left>(odd_left);
    check.template operator()<'T', 'N', right>(aligned_right);
    check.template operator()<'N', 'T', stride>(steps);
  });
}
