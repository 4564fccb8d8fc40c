// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that end in a functor have the bits of a pass of their own in the canon's order, and every element gets its
// functor once.
#include <abax/epilogue.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "cuts.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;
namespace ends = abax::epilogue;
namespace launch = abax::launch;
namespace tile = abax::tile;

namespace {

// The functors of a chain, in the order in which they follow one another. All chains are one type, so that its kernels
// are compiled once; beside C it has outputs of a caller's own: which values were positive, and how often each element
// had its turn.
enum links { relu_first = 1, row_scale = 2, column_scale = 4, row_bias = 8, column_bias = 16, relu_last = 32 };
constexpr int chains[] = {row_bias,
                          column_bias,
                          row_scale,
                          column_scale,
                          relu_last,
                          row_scale | column_bias | relu_last,
                          relu_first | row_bias,
                          0};

template <class T, class Space>
struct any_chain {
  int which;
  ends::row_bias<T, Space> bias_of_row;
  ends::column_bias<T, Space> bias_of_column;
  ends::row_scale<T, Space> scale_of_row;
  ends::column_scale<T, Space> scale_of_column;
  Kokkos::View<int**, Space> positive, turns;

  // In line it would lie in every kernel many times, and they would take nvcc half an hour.
  [[gnu::noinline]] KOKKOS_FUNCTION T operator()(index_t i, index_t j, T value) const {
    positive(i, j) = value > T(0);
    Kokkos::atomic_inc(&turns(i, j));
    if ((which & relu_first) != 0) value = ends::relu()(i, j, value);
    if ((which & row_scale) != 0) value = scale_of_row(i, j, value);
    if ((which & column_scale) != 0) value = scale_of_column(i, j, value);
    if ((which & row_bias) != 0) value = bias_of_row(i, j, value);
    if ((which & column_bias) != 0) value = bias_of_column(i, j, value);
    if ((which & relu_last) != 0) value = ends::relu()(i, j, value);
    return value;
  }
  KOKKOS_FUNCTION T operator()(index_t i, T value) const { return (*this)(i, 0, value); }
};

// What it should leave of r, operation by operation.
template <class T>
matrix<T> ended(int which, matrix<T> r, const matrix<T>& rows, const matrix<T>& columns, matrix<T>& positive) {
  positive = matrix<T>(r.rows, r.cols);
  for (index_t j = 0; j < r.cols; ++j)
    for (index_t i = 0; i < r.rows; ++i) {
      volatile T value = abax::reference::one_nan(r(i, j));  // each operation is rounded
      positive(i, j) = value > T(0);
      const T of_row = rows(i), of_column = columns(j);
      if ((which & relu_first) != 0 && value < T(0)) value = T(0);
      if ((which & row_scale) != 0) value = value * of_row;
      if ((which & column_scale) != 0) value = value * of_column;
      if ((which & row_bias) != 0) value = value + of_row;
      if ((which & column_bias) != 0) value = value + of_column;
      if ((which & relu_last) != 0 && value < T(0)) value = T(0);
      r(i, j) = abax::reference::one_nan(value);
    }
  return r;
}

template <class T>
struct problem {
  index_t m, n, k;
  char trans_a = 'N', trans_b = 'N';
  T alpha = T(1.25), beta = T(-0.75);
  numbers kind = numbers::unit;
  int which = row_scale | column_bias | relu_last;

  std::uint64_t seed() const { return 2 * (m + 3 * n + 7 * k); }
  matrix<T> a() const {
    return trans_a == 'N' ? random_matrix<T>(m, k, kind, seed()) : random_matrix<T>(k, m, kind, seed());
  }
  matrix<T> b() const {
    return trans_b == 'N' ? random_matrix<T>(k, n, kind, seed() + 1) : random_matrix<T>(n, k, kind, seed() + 1);
  }
  matrix<T> c() const { return random_matrix<T>(m, n, beta == T(0) ? numbers::nan : kind, seed() + 2); }
  matrix<T> rows() const { return random_vector<T>(m, kind, seed() + 3); }
  matrix<T> columns() const { return random_vector<T>(n, kind, seed() + 4); }
};

// A problem's vectors, functor and other outputs in Exec's memory.
template <class T, class Exec>
class functor_of {
  using memory = typename Exec::memory_space;
  operand<T, Exec> rows_, columns_;
  Kokkos::View<int**, memory> positive_, turns_;

  static auto vector(const operand<T, Exec>& of) {
    return Kokkos::View<const T*, Kokkos::LayoutStride, memory>(of.data(), Kokkos::LayoutStride(of.rows(), 2));
  }

 public:
  explicit functor_of(const problem<T>& p)
      : rows_(p.rows(), {layout::stride, 1, 2, 2}),
        columns_(p.columns(), {layout::stride, 1, 1, 2}),
        positive_("positive", p.m, p.n),
        turns_("turns", p.m, p.n) {}
  any_chain<T, memory> functor(int which) const {
    return {which,
            ends::row_bias(vector(rows_)),
            ends::column_bias(vector(columns_)),
            ends::row_scale(vector(rows_)),
            ends::column_scale(vector(columns_)),
            positive_,
            turns_};
  }
  // Every element once since the last question, and what was stored beside C.
  void check(const matrix<T>& positive) const {
    const auto turns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), turns_);
    const auto stored = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), positive_);
    index_t wrong_turns = 0, wrong_values = 0;
    for (index_t j = 0; j < positive.cols; ++j)
      for (index_t i = 0; i < positive.rows; ++i) {
        wrong_turns += turns(i, j) != 1;
        wrong_values += stored(i, j) != (positive(i, j) == T(1));
      }
    REQUIRE(wrong_turns == 0);
    REQUIRE(wrong_values == 0);
    Kokkos::deep_copy(turns_, 0);
    Kokkos::deep_copy(positive_, -1);
  }
};

template <class T>
void check(const problem<T>& p, const std::vector<placements>& where) {
  const matrix<T> a = p.a(), b = p.b(), c = p.c();
  matrix<T> positive;
  const matrix<T> want = ended(p.which, abax::reference::gemm(p.trans_a, p.trans_b, p.alpha, a, b, p.beta, c), p.rows(),
                               p.columns(), positive);
  const char ta[] = {p.trans_a, '\0'}, tb[] = {p.trans_b, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const functor_of<T, Exec> own(p);
    for (const placements& at : where) {
      const operand<T, Exec> A(a, at.a), B(b, at.b), C(c, at.c);
      CAPTURE(Exec::name(), p.m, p.n, p.k, p.trans_a, p.trans_b, p.alpha, p.beta, name_of(p.kind), p.which, at.a.text(),
              at.b.text(), at.c.text());
      A.template visit<const T>([&](const auto& av) {
        B.visit([&](const auto& bv) {
          C.visit([&](const auto& cv) { abax::gemm(exec, ta, tb, p.alpha, av, bv, p.beta, cv, own.functor(p.which)); });
        });
      });
      exec.fence();
      REQUIRE(C.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(B.change() == "");
      own.check(positive);
    }
  });
}

template <class T>
void check_vector(problem<T> p, const std::vector<placements>& where) {
  p.n = 1;
  p.trans_b = 'N';
  const matrix<T> a = p.a(), x = p.b(), y = p.c();
  matrix<T> positive;
  const matrix<T> want =
      ended(p.which, abax::reference::gemv(p.trans_a, p.alpha, a, x, p.beta, y), p.rows(), p.columns(), positive);
  const char trans[] = {p.trans_a, '\0'};
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const functor_of<T, Exec> own(p);
    for (const placements& at : where) {
      const operand<T, Exec> A(a, at.a), X(x, at.b), Y(y, at.c);
      CAPTURE(Exec::name(), p.m, p.k, p.trans_a, p.alpha, p.beta, name_of(p.kind), p.which, at.a.text(), at.b.text(),
              at.c.text());
      A.template visit<const T>([&](const auto& av) {
        X.visit_vector([&](const auto& xv) {
          Y.visit_vector(
              [&](const auto& yv) { abax::gemv(exec, trans, p.alpha, av, xv, p.beta, yv, own.functor(p.which)); });
        });
      });
      exec.fence();
      REQUIRE(Y.difference_from(want) == "");
      REQUIRE(A.change() == "");
      REQUIRE(X.change() == "");
      own.check(positive);
    }
  });
}

template <class T>
problem<T> some_problem(index_t m, index_t n, index_t k, int turn) {
  const T scalars[][2] = {{T(1), T(0)}, {T(1.25), T(-0.75)}, {T(-0.5), T(1)}, {T(0), T(2)}, {T(1), T(0.5)},
                          {T(0), T(1)}, {T(0), T(0)},        {T(2.5), T(0)},  {T(1), T(1)}};
  constexpr numbers kinds[] = {numbers::unit, numbers::special, numbers::unit, numbers::subnormal, numbers::wide};
  constexpr char ops[] = {'N', 'T', 'C'};
  return {m,
          n,
          k,
          ops[turn % 3],
          ops[turn / 3 % 3],
          scalars[turn % 9][0],
          scalars[turn % 9][1],
          kinds[turn % 5],
          chains[turn % 8]};
}

}  // namespace

TEMPLATE_TEST_CASE("gemm with a functor has the bits of a pass of its own, of any size", "[epilogue][bits]", float,
                   double) {
  using T = TestType;
  random_bits random(11);
  for (int turn = 0; turn < 90; turn += unless_watched(1, 7))
    check<T>(some_problem<T>(random.below(71), random.below(71), random.below(71), turn), some_placements(turn));
  int turn = 0;
  for (const auto& [m, n, k] : {std::tuple<index_t, index_t, index_t>{401, 390, 19},
                                {131, 51, 2100},
                                {37, 11, 4200},
                                {1009, 3, 31},
                                {3, 1009, 31},
                                {1, 513, 70},
                                {513, 1, 70},
                                {5, 3, 17 * 2048 + 5},
                                {1, 4, 9 * 2048},
                                {785, 203, 300},
                                {20001, 4, 3},
                                {256, 256, 64}})
    for (int more = 0; more < 2; ++more, ++turn) check<T>(some_problem<T>(m, n, k, turn), some_placements(turn));
}

TEMPLATE_TEST_CASE("Every functor runs for every operation, layout, alpha and beta", "[epilogue][bits]", float,
                   double) {
  using T = TestType;
  for (const char ta : {'N', 'T', 'C'})
    for (const char tb : {'N', 'T', 'C'}) check<T>({19, 23, 29, ta, tb}, every_layout(one_per_layout));
  std::uint64_t turn = 0;
  for (const int which : chains)
    for (const T alpha : {T(0), T(1), T(-0.3), std::numeric_limits<T>::infinity()})
      for (const T beta : {T(0), T(-0.0), T(1), T(1.7), nan_with_payload<T>()})
        for (const index_t k : {0, 1, 19, 2100})
          check<T>({k < 100 ? 21 : 5, k < 100 ? 13 : 3, k, 'N', 'T', alpha, beta, numbers::special, which},
                   {some_placements(turn++)[0]});
  check<T>({300, 500, 0, 'N', 'N', T(1), T(1), numbers::special, column_bias}, some_placements(0));
}

TEMPLATE_TEST_CASE("gemv with a functor has the bits of a pass of its own", "[epilogue][bits]", float, double) {
  using T = TestType;
  random_bits random(12);
  for (int turn = 0; turn < 70; turn += unless_watched(1, 7))
    check_vector<T>(some_problem<T>(random.below(71), 1, random.below(71), turn), some_placements(turn));
  int turn = 0;
  for (const auto& [m, k] :
       {std::pair<index_t, index_t>{1009, 301}, {301, 4097}, {3, 6200}, {40009, 7}, {2, 40001}, {132, 2048}, {5000, 0}})
    for (int more = 0; more < 5; ++more, ++turn) check_vector<T>(some_problem<T>(m, 1, k, turn), some_placements(turn));
}

TEMPLATE_TEST_CASE("Every row that takes functors runs each of them once, however a product is split",
                   "[epilogue][bits]", float, double) {
  using T = TestType;
  sample plans(5);
  const auto run = [&plans](const problem<T>& p, auto kind) {
    const matrix<T> a = p.a(), b = p.b(), c = p.c();
    matrix<T> positive;
    const matrix<T> want =
        ended(p.which, abax::reference::gemm('N', 'N', p.alpha, a, b, p.beta, c), p.rows(), p.columns(), positive);
    for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
      using Exec = typename Backend::execution_space;
      const functor_of<T, Exec> own(p);
      const auto functor = own.functor(p.which);
      const auto machine = Backend::machine(exec);
      for (const placement& at : {all_placements[0], all_placements[2]}) {
        const operand<T, Exec> A(a, at), B(b, at), C(c, at);
        const auto c_view = C.template view<Kokkos::LayoutLeft>();
        const tile::product<T, std::decay_t<decltype(functor)>> problem{
            {launch::input_matrix(A.template view<Kokkos::LayoutLeft>()),
             launch::input_matrix(B.template view<Kokkos::LayoutLeft>()),
             launch::matrix_of(c_view),
             {p.alpha, p.beta}},
            functor};
        int runs = 0;
        for (auto plan : launch::plans<Backend, decltype(kind)::value>(problem, machine)) {
          for (const tile::cut& cut : cuts_of(launch::tiles_of(problem, plan.tile), tile::canon_blocks(p.k))) {
            ++runs;
            if (!plans.takes()) continue;
            plan.cut = cut;
            CAPTURE(name, plan.row->name, cut.splits, cut.whole, p.m, p.n, p.k, at.text());
            launch::run_product("test", exec, machine, problem, plan);
            exec.fence();
            REQUIRE(C.difference_from(want) == "");
            own.check(positive);
            C.restore();
          }
        }
        REQUIRE(runs > 0);
      }
    });
  };
  using matrices = std::integral_constant<launch::shape, launch::shape::matrix>;
  using vectors = std::integral_constant<launch::shape, launch::shape::vector>;
  run({70, 45, 4200}, matrices());
  run({150, 131, 60, 'N', 'N', T(1), T(0), numbers::special}, matrices());
  run({33, 47, 0, 'N', 'N', T(1), T(1), numbers::special}, matrices());
  run({127, 1, 6200}, vectors());
  run({300, 1, 37, 'N', 'N', T(1), T(0), numbers::special}, vectors());
}

TEST_CASE("Abax' functors follow one another in the order that they are listed", "[epilogue]") {
  using memory = Kokkos::HostSpace;
  using exec_space = Kokkos::DefaultHostExecutionSpace;
  const exec_space exec;
  const int n = 21, m = 34, k = 55;
  Kokkos::View<double**, Kokkos::LayoutLeft, memory> A("A", m, k), B("B", k, n), C("C", m, n), D("D", m, n);
  Kokkos::View<double*, memory> bias("bias", n), scale("scale", m);
  random_bits random(3);
  for (int p = 0; p < k; ++p) {
    for (int i = 0; i < m; ++i) A(i, p) = random.unit<double>();
    for (int j = 0; j < n; ++j) B(p, j) = random.unit<double>();
  }
  for (int j = 0; j < n; ++j) bias(j) = random.unit<double>();
  for (int i = 0; i < m; ++i) scale(i) = random.unit<double>();
  abax::gemm("N", "N", 1, A, B, 0, D);
  const auto same = [&](const auto& expected) {
    int wrong = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        const double want = expected(i, j, D(i, j));
        wrong += bits_of(double(C(i, j))) != bits_of(want);
      }
    return wrong == 0;
  };
  const auto relu = [](double x) { return x < 0 ? 0 : x; };
  abax::gemm("N", "N", 1, A, B, 0, C, ends::then(ends::column_bias(bias), ends::relu()));
  CHECK(same([&](int, int j, double r) { return relu(r + bias(j)); }));
  abax::gemm(exec, "N", "N", 1, A, B, 0, C, ends::then(ends::relu(), ends::column_bias(bias)));
  CHECK(same([&](int, int j, double r) { return relu(r) + bias(j); }));
  abax::gemm(exec, "N", "N", 1, A, B, 0, C,
             ends::then(ends::row_scale(scale), ends::then(ends::column_bias(bias), ends::relu())));
  CHECK(same([&](int i, int j, double r) {
    volatile double product = r * scale(i);
    return relu(product + bias(j));
  }));
  CHECK(bits_of(ends::relu()(0, 0, -0.0)) == bits_of(-0.0));
  CHECK(bits_of(ends::relu()(0, 0, nan_with_payload<double>())) == bits_of(nan_with_payload<double>()));

  // A lambda, of a vector.
  Kokkos::View<double*, memory> x("x", k), y("y", m), z("z", m);
  for (int p = 0; p < k; ++p) x(p) = random.unit<double>();
  abax::gemv(exec, "N", 1, A, x, 0, z);
  abax::gemv(
      "N", 1, A, x, 0, y, KOKKOS_LAMBDA(abax::index_t i, double value) { return value * (i % 2 == 0 ? 2 : -1); });
  int wrong = 0;
  for (int i = 0; i < m; ++i) wrong += bits_of(double(y(i))) != bits_of(double(z(i) * (i % 2 == 0 ? 2 : -1)));
  CHECK(wrong == 0);
  abax::gemv(exec, "N", 1, A, x, 0, y, ends::then(ends::row_scale(scale), ends::relu()));
  wrong = 0;
  for (int i = 0; i < m; ++i) wrong += bits_of(double(y(i))) != bits_of(relu(z(i) * scale(i)));
  CHECK(wrong == 0);
}

namespace {
struct keep_bits {
  Kokkos::View<std::uint64_t, Kokkos::HostSpace> bits;
  KOKKOS_FUNCTION double operator()(abax::index_t, abax::index_t, double value) const {
    bits() = Kokkos::bit_cast<std::uint64_t>(value);
    return value;
  }
};
}  // namespace

TEST_CASE("A functor is given the one NaN also where the product leaves C as it is", "[epilogue]") {
  Kokkos::View<double**, Kokkos::HostSpace> A("A", 1, 0), B("B", 0, 1), C("C", 1, 1);
  const Kokkos::View<std::uint64_t, Kokkos::HostSpace> bits("bits");
  C(0, 0) = abax::tests::nan_with_payload<double>();
  abax::gemm("N", "N", 1, A, B, 1, C, keep_bits{bits});
  CHECK(bits() == 0x7FF8000000000000U);
}

TEST_CASE("A functor's vectors that do not fit C are named, and nothing is written", "[epilogue][errors]") {
  using memory = Kokkos::HostSpace;
  Kokkos::View<float**, memory> A("A", 3, 4), B("B", 4, 5), C("C", 3, 5);
  Kokkos::View<float*, memory> three("three", 3), five("five", 5), x("x", 4), y("y", 3);
  Kokkos::deep_copy(C, 7);
  const auto message = [](const auto& call) {
    try {
      call();
    } catch (const abax::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto of_gemm = [&](const auto& epilogue) {
    return message([&] { abax::gemm("N", "N", 1, A, B, 0, C, epilogue); });
  };
  CHECK(of_gemm(ends::row_bias(five)) == "abax::gemm: the extent of the row bias is 5, but extent 0 of C is 3");
  CHECK(of_gemm(ends::column_bias(three)) == "abax::gemm: the extent of the column bias is 3, but extent 1 of C is 5");
  CHECK(of_gemm(ends::then(ends::relu(), ends::row_scale(five))) ==
        "abax::gemm: the extent of the row scale is 5, but extent 0 of C is 3");
  CHECK(of_gemm(ends::then(ends::column_scale(three), ends::relu())) ==
        "abax::gemm: the extent of the column scale is 3, but extent 1 of C is 5");
  CHECK(of_gemm(ends::row_bias(Kokkos::subview(C, Kokkos::ALL, 1))).find("row bias") != std::string::npos);
  CHECK(of_gemm(ends::row_bias(Kokkos::View<float*, memory>(nullptr, 3))).find("row bias") != std::string::npos);
  CHECK(message([&] { abax::gemv("N", 1, A, x, 0, y, ends::row_bias(five)); }) ==
        "abax::gemv: the extent of the row bias is 5, but the extent of y is 3");
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 3; ++i) REQUIRE(C(i, j) == 7);
}

TEMPLATE_TEST_CASE("A reduced set of functors for the sanitizers", "[sanitizer][epilogue]", float, double) {
  using T = TestType;
  check<T>({67, 33, 2100, 'N', 'T'}, {{one_per_layout[0], one_per_layout[1], one_per_layout[2]}});
  check<T>({64, 32, 64, 'T', 'N', T(1), T(0), numbers::unit, relu_first | row_bias},
           {{all_placements[0], all_placements[0], all_placements[0]}});
  check<T>({17, 9, 0, 'N', 'N', T(1), T(1), numbers::unit, column_bias},
           {{all_placements[0], all_placements[0], all_placements[1]}});
  check_vector<T>({131, 1, 67}, {{one_per_layout[0], one_per_layout[1], one_per_layout[2]}});
}
