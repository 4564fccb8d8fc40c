// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, copies and sums of complex numbers inside kernels have the bits of the canon, and write nothing else.
#include <Kokkos_Core.hpp>
#include <abax/dot.hpp>
#include <abax/gemm.hpp>
#include <abax/gemv.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "complex_inputs.hpp"
#include "complex_reference.hpp"
#include "operands.hpp"
#include "spaces.hpp"
#include "team_kernels.hpp"

using namespace abax::tests;
using abax::reference::complex;
namespace tile = abax::tile;
namespace team = abax::team;

namespace {

template <class Visit>
void for_each_team(const Visit& visit) {
  abax::tests::for_each_team({33, 128}, visit);
}

constexpr placement row_steps{layout::stride, 5, 0, 3, true};

// Turn by turn with problem's factors: the first five have products of several blocks, or of the lengths of edges.
std::vector<extents> some_extents() {
  std::vector<extents> all{{25, 6, 1025}, {11, 9, 2049}, {5, 3, 3100}, {1, 7, 1030}, {29, 1, 1024}, {0, 3, 2},
                           {3, 0, 2},     {3, 2, 0},     {4, 3, 0},    {1, 1, 1},    {33, 17, 5},   {9, 9, 9},
                           {32, 32, 32},  {2, 2, 2},     {67, 43, 9},  {16, 16, 16}, {4, 3, 0},     {5, 1, 0}};
  random_bits random(11);
  for (int i = 0; i < 12; ++i) all.push_back({random.below(41), random.below(41), random.below(41)});
  return all;
}

constexpr numbers kinds[] = {numbers::unit,      numbers::special,   numbers::unit,
                             numbers::vanishing, numbers::subnormal, numbers::wide};

// A product's operands as they are stored, and what C must become. What must not be read is NaN.
template <class R>
struct problem {
  using T = complex<R>;
  T alpha, beta;
  matrix<T> a, b, c, want;

  problem(extents e, char op_a, char op_b, int turn)
      : alpha(factor(turn, 0)),
        beta(factor(turn, 1)),
        a(random_complex<R>(op_a == 'N' ? e.m : e.k, op_a == 'N' ? e.k : e.m, kind(turn, alpha), 2)),
        b(random_complex<R>(op_b == 'N' ? e.k : e.n, op_b == 'N' ? e.n : e.k, kind(turn, alpha), 3)),
        c(random_complex<R>(e.m, e.n, kind(turn, beta), 4)),
        want(abax::reference::gemm(op_a, op_b, alpha, a, b, beta, c)) {}
  static T factor(int turn, int which) {
    const T all[][2] = {{T(1), T(0)},
                        {T(R(1.25), R(-0.5)), T(R(-0.75), R(0.375))},
                        {T(R(-0.5), R(2)), T(1)},
                        {T(0, 1), T(0)},
                        {T(1), T(R(0.5), R(1))},
                        {T(0), T(R(2), R(-1))},
                        {T(0), T(1)},
                        {T(0), T(0)}};
    return all[turn % 8][which];
  }
  static numbers kind(int turn, const T& by) { return by == T(0) ? numbers::nan : kinds[turn % 6]; }
};

template <char OpA, char OpB, class LayoutA, class LayoutB, class LayoutC, class R, class Exec>
void check_gemm(const Exec& exec, int size, int vector, const placements& where) {
  using T = complex<R>;
  int turn = 0;
  for (const extents& e : some_extents()) {
    const problem<R> p(e, OpA, OpB, turn++);
    const operand<T, Exec> A(p.a, where.a), B(p.b, where.b), C(p.c, where.c);
    const auto a = A.template view<LayoutA, const T>();
    const auto b = B.template view<LayoutB, const T>();
    const auto c = C.template view<LayoutC>();
    run_team(exec, size, vector, 0,
             team_gemm<OpA, OpB, T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
    CAPTURE(Exec::name(), size, vector, OpA, OpB, e.m, e.n, e.k, hex(p.alpha), hex(p.beta), where.a.text(),
            where.b.text(), where.c.text());
    REQUIRE(C.difference_from(p.want) == "");
    REQUIRE(A.change() == "");
    REQUIRE(B.change() == "");
    if constexpr (on_host<Exec>) {  // the register tiles of other machines
      C.restore();
      run_team(exec, size, vector, 0,
               register_gemm<OpA, OpB, T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
      REQUIRE(C.difference_from(p.want) == "");
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("A team's complex product has gemm's bits for all pairs of ops", "[team][complex][bits]", float,
                   double) {
  using R = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    const auto check = [&]<char OpA>(const placement& a) {
      check_gemm<OpA, 'N', stride, stride, stride, R>(exec, size, vector, {a, steps, row_steps});
      check_gemm<OpA, 'T', stride, stride, stride, R>(exec, size, vector, {a, row_steps, steps});
      check_gemm<OpA, 'C', stride, stride, stride, R>(exec, size, vector, {a, steps, steps});
    };
    check.template operator()<'N'>(steps);
    check.template operator()<'T'>(row_steps);
    check.template operator()<'C'>(steps);
  });
}

TEMPLATE_TEST_CASE("A team's complex product has gemm's bits, whatever its layouts", "[team][complex][bits]", float,
                   double) {
  using R = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    check_gemm<'N', 'C', left, left, left, R>(exec, size, vector, {aligned_left, aligned_left, odd_left});
    check_gemm<'N', 'C', left, left, left, R>(exec, size, vector, {odd_left, aligned_left, aligned_left});
    check_gemm<'C', 'N', right, right, right, R>(exec, size, vector, {aligned_right, odd_right, aligned_right});
  });
}

TEMPLATE_TEST_CASE("A thread's own complex product has gemm's bits", "[serial][complex][bits]", float, double) {
  using R = TestType;
  using T = complex<R>;
  for_each_space([](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check = [&]<char OpA, char OpB, class Layout>(const placement& where) {
      int turn = 0;
      for (const extents& e : some_extents()) {
        const problem<R> p(e, OpA, OpB, turn++);
        const operand<T, Exec> A(p.a, where), B(p.b, where), C(p.c, where);
        const auto a = A.template view<Layout, const T>(), b = B.template view<Layout, const T>();
        const auto c = C.template view<Layout>();
        Kokkos::parallel_for("serial", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                             serial_gemm<OpA, OpB, T, decltype(a), decltype(b), decltype(c)>{p.alpha, p.beta, a, b, c});
        exec.fence();
        CAPTURE(Exec::name(), OpA, OpB, e.m, e.n, e.k, hex(p.alpha), hex(p.beta), where.text());
        REQUIRE(C.difference_from(p.want) == "");
        // The library's own call, which ends on this machine in other loops.
        if constexpr (abax::launch::available<Exec, tile::complex<R>>) {
          C.restore();
          const char op_a[] = {OpA, '\0'}, op_b[] = {OpB, '\0'};
          abax::gemm(exec, op_a, op_b, p.alpha, a, b, p.beta, c);
          exec.fence();
          REQUIRE(C.difference_from(p.want) == "");
        }
        if constexpr (on_host<Exec>) {  // the register tiles of a thread elsewhere
          C.restore();
          tile::serial_product(team::op_of<OpA>(team::operand_of<void>(a)),
                               team::op_of<OpB>(team::operand_of<void>(b)).transposed(), team::operand_of<void>(c),
                               tile::epilogue<tile::complex<R>>{tile::own(p.alpha), tile::own(p.beta)});
          REQUIRE(C.difference_from(p.want) == "");
        }
      }
    };
    check.template operator()<'N', 'N', left>(odd_left);
    check.template operator()<'C', 'T', stride>(steps);
  });
}

namespace {

// All operands in scratch tiles whose extents are compiled in, A by its conjugate where wanted.
template <char OpA, int M, int N, int K, class T, class Global>
struct tiles_gemm {
  using a_tile =
      std::conditional_t<OpA == 'N', abax::scratch_tile<T, M, K, abax::access::copy_rows, abax::access::multiply_rows>,
                         abax::scratch_tile<T, K, M, abax::access::multiply_columns>>;
  using b_tile = abax::scratch_tile<T, K, N, abax::access::multiply_columns>;
  using c_tile = abax::scratch_tile<T, M, N>;
  static constexpr std::size_t scratch = a_tile::shmem_size() + b_tile::shmem_size() + c_tile::shmem_size();
  T alpha, beta;
  Global a, b, c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const a_tile as(member.team_scratch(0));
    const b_tile bs(member.team_scratch(0));
    const c_tile cs(member.team_scratch(0));
    team::stage(member, a, as);
    team::stage(member, b, bs);
    team::stage(member, c, cs);
    team::wait(member);
    team::gemm<OpA, 'N'>(member, alpha, as, bs, beta, cs);
    team::copy(member, cs, c);
  }
};

// make(p, a, b, c) for the operands of a product, some of whose turns have no product.
template <char OpA, class R, class Exec, class Make>
void check_tiles(const Exec&, extents e, int turn, const Make& make) {
  using T = complex<R>;
  const problem<R> p(e, OpA, 'N', turn % 5);
  const operand<T, Exec> A(p.a, aligned_right), B(p.b, odd_right), C(p.c, odd_right);
  make(p, A.template view<right>(), B.template view<right>(), C.template view<right>());
  CAPTURE(Exec::name(), OpA, e.m, e.n, e.k, hex(p.alpha), hex(p.beta));
  REQUIRE(C.difference_from(p.want) == "");
  REQUIRE(A.change() == "");
  REQUIRE(B.change() == "");
}

template <char OpA, int M, int N, int K, class R, class Exec>
void check_scratch_tiles(const Exec& exec, int size, int vector) {
  using T = complex<R>;
  check_tiles<OpA, R>(exec, {M, N, K}, M + size, [&](const auto& p, const auto& a, const auto& b, const auto& c) {
    using kernel = tiles_gemm<OpA, M, N, K, T, std::decay_t<decltype(a)>>;
    run_team(exec, size, vector, kernel::scratch, kernel{p.alpha, p.beta, a, b, c});
  });
}

template <int M, int N, int K, class R, class Exec>
void check_banked(const Exec& exec, int size) {
  using T = complex<R>;
  using a_tile = abax::scratch_tile<T, M, K, abax::access::copy_rows, abax::access::multiply_rows>;
  using b_tile = abax::scratch_tile<T, K, N, abax::access::multiply_columns>;
  check_tiles<'N', R>(exec, {M, N, K}, N + size, [&](const auto& p, const auto& a, const auto& b, const auto& c) {
    using memory = typename std::decay_t<decltype(exec)>::memory_space;
    const Kokkos::View<T*, memory> as("as", a_tile::layout.size()), bs("bs", b_tile::layout.size());
    using kernel = banked_gemm<T, a_tile::layout, b_tile::layout, std::decay_t<decltype(a)>>;
    run_team(exec, size, 1, 0, kernel{p.alpha, p.beta, a, b, c, as.data(), bs.data()});
  });
}

}  // namespace

TEMPLATE_TEST_CASE("A team multiplies scratch tiles of complex numbers", "[team][complex][bits]", float, double) {
  using R = TestType;
  for_each_team([](const auto& exec, int size, int vector) {
    check_scratch_tiles<'N', 32, 16, 16, R>(exec, size, vector);
    check_scratch_tiles<'C', 21, 7, 12, R>(exec, size, vector);
    if constexpr (on_host<std::decay_t<decltype(exec)>>)  // elsewhere the tests of scratch tiles do
      if (vector == 1) {
        check_banked<64, 32, 16, R>(exec, size);
        check_banked<32, 16, 8, R>(exec, size);
      }
  });
}

namespace {

// Every thread writes the sums that it got: plain, then conjugated.
template <class T, class X, class Y, class Sums>
struct team_dots {
  X x;
  Y y;
  Sums sums;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    T plain = team::dot(member, x, y), conjugated = team::dotc(member, x, y);
    if constexpr (on_host<typename Member::execution_space>) {  // and by what other machines do
      using own = tile::own_t<T>;
      const tile::vector<const own> xs{tile::own_elements(x.data()), index_t(x.extent(0)), index_t(x.stride(0))};
      const tile::vector<const own> ys{tile::own_elements(y.data()), index_t(y.extent(0)), index_t(y.stride(0))};
      for (const bool c : {false, true}) {
        const own other = abax::portable::in_kernel::dot(member, tile::dot<own>(xs, ys, c));
        T& sum = c ? conjugated : plain;
        using bits = bits_t<typename T::value_type>;
        const bool same = Kokkos::bit_cast<bits>(other.re) == Kokkos::bit_cast<bits>(sum.real()) &&
                          Kokkos::bit_cast<bits>(other.im) == Kokkos::bit_cast<bits>(sum.imag());
        if (!same) sum = T(-12345);
      }
    }
    sums(member.team_rank(), 0) = plain;
    sums(member.team_rank(), 1) = conjugated;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("A team's complex product with a vector has gemv's bits", "[team][complex][bits]", float, double) {
  using R = TestType;
  using T = complex<R>;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check = [&]<char Op>(const placement& where, const placement& at) {
      int turn = 0;
      for (extents e : some_extents()) {
        e.n = 1;
        const problem<R> p(e, Op, 'N', turn++);
        const operand<T, Exec> A(p.a, where), X(p.b, at), Y(p.c, steps);
        const auto a = A.template view<left, const T>();
        const auto y = Kokkos::subview(Y.template view<stride>(), Kokkos::ALL, 0);
        const auto x = Kokkos::subview(X.template view<left, const T>(), Kokkos::ALL, 0);
        run_team(exec, size, vector, 0,
                 team_gemv<Op, T, decltype(a), decltype(x), decltype(y)>{p.alpha, p.beta, a, x, y});
        CAPTURE(Exec::name(), size, vector, Op, e.m, e.k, hex(p.alpha), hex(p.beta));
        REQUIRE(Y.difference_from(p.want) == "");
        if constexpr (abax::launch::available<Exec, tile::complex<R>>) {
          Y.restore();
          const char op[] = {Op, '\0'};
          abax::gemv(exec, op, p.alpha, a, x, p.beta, y);
          exec.fence();
          REQUIRE(Y.difference_from(p.want) == "");
        }
      }
    };
    check.template operator()<'N'>(odd_left, aligned_left);
    check.template operator()<'T'>(aligned_left, odd_left);
    check.template operator()<'C'>(odd_left, aligned_left);
  });
}

TEMPLATE_TEST_CASE("A team's complex dot products have dot's and dotc's bits, for every thread",
                   "[team][complex][bits]", float, double) {
  using R = TestType;
  using T = complex<R>;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    std::vector<index_t> sizes{0, 1, 31, 33, 64, 511, 512, 513, 1025, 2500};
    if (size == 1 || size == 128) sizes.push_back((1 << 19) + 750);  // three levels
    int turn = 0;
    for (const index_t n : sizes) {
      const numbers kind = kinds[turn++ % 6];
      const auto x = random_complex<R>(n, 1, kind, 2), y = random_complex<R>(n, 1, kind, 3);
      matrix<T> want(size, 2);
      for (const bool c : {false, true}) {
        const auto sum = abax::reference::dot(x, y, c);
        for (int rank = 0; rank < size; ++rank) want(rank, c) = sum;
      }
      const auto check = [&]<class Layout>(const placement& at) {
        const operand<T, Exec> X(x, at), Y(y, steps), S(matrix<T>(size, 2, T(3)), odd_left);
        const auto xs = Kokkos::subview(X.template view<Layout, const T>(), Kokkos::ALL, 0);
        const auto ys = Kokkos::subview(Y.template view<stride, const T>(), Kokkos::ALL, 0);
        const auto sums = S.template view<left>();
        run_team(exec, size, vector, 0, team_dots<T, decltype(xs), decltype(ys), decltype(sums)>{xs, ys, sums});
        CAPTURE(Exec::name(), size, vector, n, name_of(kind), at.text());
        REQUIRE(S.difference_from(want) == "");
      };
      check.template operator()<left>(odd_left);
    }
  });
}

TEMPLATE_TEST_CASE("A team's copies and transposes of complex numbers move every bit, and conjugates change one",
                   "[team][complex]", float, double) {
  using R = TestType;
  using T = complex<R>;
  for_each_team([](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    const auto check = [&]<moves Move, class From, class To>(const placement& from, const placement& to) {
      for (const extents& e : some_extents()) {
        const auto a = random_complex<R>(e.m, e.n, numbers::special, 5);
        const auto want = Move == moves::copy ? a : abax::reference::transpose(a, Move == moves::conjugate_transpose);
        const operand<T, Exec> A(a, from), B(random_complex<R>(want.rows, want.cols, numbers::unit, 6), to);
        const auto av = A.template view<From, const T>();
        const auto bv = B.template view<To>();
        run_team(exec, size, vector, 0, team_move<Move, decltype(av), decltype(bv)>{av, bv});
        CAPTURE(Exec::name(), size, vector, int(Move), e.m, e.n, from.text(), to.text());
        REQUIRE(B.difference_from(want) == "");
        REQUIRE(A.change() == "");
      }
    };
    check.template operator()<moves::copy, left, left>(aligned_left, aligned_left);
    check.template operator()<moves::copy, left, stride>(odd_left, steps);
    check.template operator()<moves::transpose, left, right>(aligned_left, odd_right);
    check.template operator()<moves::transpose, right, right>(odd_right, aligned_right);
    check.template operator()<moves::conjugate_transpose, left, right>(aligned_left, aligned_right);
    check.template operator()<moves::conjugate_transpose, right, right>(odd_right, odd_right);
  });
}

namespace {

// What scratch tiles ask of a team's scratch.
template <class T>
struct memory_of_tile {
  T* values;
  KOKKOS_FUNCTION void* get_shmem_aligned(std::size_t, std::size_t) const { return values; }
};

template <int Edge, int Depth, class T>
using stage_of_a = abax::scratch_tile<T, Edge, Depth, abax::access::copy_rows, abax::access::multiply_rows>;
template <int Edge, int Depth, class T>
using stage_of_b = abax::scratch_tile<T, Depth, Edge, abax::access::copy_rows, abax::access::multiply_columns>;

// Each thread of a team in turn: a tile of C by register sums, in stages of Depth terms, the first of `begun` terms.
template <int Edge, int Depth, int Threads, class R>
void check_register_sums(extents e, numbers kind, index_t begun) {
  using T = complex<R>;
  using machine = abax::portable::in_kernel;
  using a_tile = stage_of_a<Edge, Depth, T>;
  using b_tile = stage_of_b<Edge, Depth, T>;
  using sums_type = team::register_sums<machine, a_tile, b_tile, Threads>;
  const auto a = random_complex<R>(e.m, e.k, kind, 2), b = random_complex<R>(e.k, e.n, kind, 3),
             before = random_complex<R>(e.m, e.n, kind, 4);
  const Kokkos::View<T*, Kokkos::HostSpace> of_a("a", a_tile::layout.size()), of_b("b", b_tile::layout.size());
  const a_tile at(memory_of_tile<T>{of_a.data()});
  const b_tile bt(memory_of_tile<T>{of_b.data()});
  std::vector<sums_type> sums;
  for (int thread = 0; thread < Threads; ++thread) sums.emplace_back(thread_number{thread});
  for (int p = 0, terms; p < e.k; p += terms) {
    terms = static_cast<int>(std::min<index_t>(p == 0 ? begun : Depth, e.k - p));
    const auto as = team::operand_of<machine>(at.part(static_cast<int>(e.m), terms));
    const auto bs = team::operand_of<machine>(bt.part(terms, static_cast<int>(e.n)));
    for (int q = 0; q < terms; ++q) {
      for (int i = 0; i < e.m; ++i) as(i, q) = tile::own(a(i, p + q));
      for (int j = 0; j < e.n; ++j) bs(q, j) = tile::own(b(p + q, j));
    }
    for (sums_type& s : sums) s.add(as, bs.transposed());
  }
  const operand<T, Kokkos::DefaultHostExecutionSpace> C(before, odd_left);
  const T alpha(R(1.25), R(-0.5)), beta(R(-0.75), R(0.375));
  for (sums_type& s : sums)
    s.store(team::operand_of<machine>(C.template view<left>()),
            tile::epilogue<tile::complex<R>>{tile::own(alpha), tile::own(beta)});
  CAPTURE(Edge, Depth, Threads, e.m, e.n, e.k, begun);
  REQUIRE(C.difference_from(abax::reference::gemm('N', 'N', alpha, a, b, beta, before)) == "");
}

// A team that has one tile of C for its sums: Edge x Edge or less.
template <int Edge, int Depth, int Threads, class T, class Global>
struct staged_product {
  using a_tile = stage_of_a<Edge, Depth, T>;
  using b_tile = stage_of_b<Edge, Depth, T>;
  T alpha, beta;
  Global a, b, c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const a_tile as(member.team_scratch(0));
    const b_tile bs(member.team_scratch(0));
    const int m = static_cast<int>(c.extent(0)), n = static_cast<int>(c.extent(1)), k = static_cast<int>(a.extent(1));
    team::sums<Member, a_tile, b_tile, Threads> sums(member);
    for (int p = 0; p < k; p += Depth) {
      const int end = p + Depth < k ? p + Depth : k;
      const auto ap = as.part(m, end - p);
      const auto bp = bs.part(end - p, n);
      team::stage(member, Kokkos::subview(a, Kokkos::ALL, std::pair<int, int>(p, end)), ap);
      team::stage(member, Kokkos::subview(b, std::pair<int, int>(p, end), Kokkos::ALL), bp);
      team::wait(member);
      sums.add(ap, bp);
      member.team_barrier();
    }
    sums.store(alpha, beta, c);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("Complex sums that grow by stages have gemm's bits", "[team][complex][bits]", float, double) {
  using R = TestType;
  using T = complex<R>;
  check_register_sums<32, 16, 64, R>({32, 31, 1041}, numbers::unit, 16);
  check_register_sums<32, 16, 64, R>({29, 30, 2100}, numbers::special, 3);  // a block ends within a stage
  check_register_sums<32, 16, 256, R>({1, 7, 50}, numbers::vanishing, 16);
  for_each_space([](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (const extents e : {extents{32, 32, 64}, extents{31, 7, 1100}, extents{5, 32, 2051}}) {
      const problem<R> p(e, 'N', 'N', 1);
      const operand<T, Exec> A(p.a, aligned_right), B(p.b, odd_right), C(p.c, odd_right);
      const auto a = A.template view<right>(), b = B.template view<right>(), c = C.template view<right>();
      using kernel = staged_product<32, 16, 64, T, std::decay_t<decltype(a)>>;
      run_team(exec, on_host<Exec> ? 1 : 64, 1, kernel::a_tile::shmem_size() + kernel::b_tile::shmem_size(),
               kernel{p.alpha, p.beta, a, b, c});
      CAPTURE(Exec::name(), e.m, e.n, e.k);
      REQUIRE(C.difference_from(p.want) == "");
    }
  });
}
