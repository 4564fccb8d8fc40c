// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the canon implies: products agree with each other, and plan, splits, threads and memory change no bit.
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <new>

#include "copies.hpp"
#include "cuts.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "sample.hpp"
#include "spaces.hpp"

using namespace abax::tests;
namespace launch = abax::launch;
namespace tile = abax::tile;

namespace {

template <class T, class Exec>
tile::matrix<const T> input(const operand<T, Exec>& X) {
  tile::matrix<const T> result{};
  X.visit([&](const auto& view) { result = launch::input_matrix(view); });
  return result;
}
template <class T, class Exec>
tile::matrix<T> output(const operand<T, Exec>& X) {
  tile::matrix<T> result{};
  X.visit([&](const auto& view) { result = launch::matrix_of(view); });
  return result;
}

template <class T>
struct operands {
  matrix<T> a, b, c;
  T alpha = T(1.25), beta = T(-0.75);

  operands(index_t m, index_t n, index_t k, numbers kind = numbers::unit)
      : a(random_matrix<T>(m, k, kind, 2)), b(random_matrix<T>(k, n, kind, 3)), c(random_matrix<T>(m, n, kind, 4)) {}
  matrix<T> product() const { return abax::reference::gemm('N', 'N', alpha, a, b, beta, c); }
};

// The portable backend's tiles are at most 32 x 32, and it is slow: a product that has whole tiles of it, short ones,
// stages and blocks is a small one.
template <class Backend>
constexpr bool is_portable = std::is_same_v<Backend, abax::portable::backend<typename Backend::execution_space>>;
enum class backends_to_run { all, portable, own };
template <class Backend>
constexpr bool runs(backends_to_run which) {
  return which == backends_to_run::all || (which == backends_to_run::portable) == is_portable<Backend>;
}

// A backend on a space, as described.
template <class Backend>
struct described_backend {
  std::string name;
  typename Backend::execution_space exec;
  typename Backend::machine_type machine;
};

#ifdef KOKKOS_ENABLE_OPENMP
// The OpenMP backend with a second launch for joining block sums, which it does without otherwise, and with memory that
// can be refused.
struct joining_backend : abax::openmp::backend {
  static inline int refusals = -1;  // of memory so far, while it is refused
  struct workspace : abax::openmp::workspace {
    workspace(const instance& exec, std::size_t bytes, index_t counters)
        : abax::openmp::workspace(exec, bytes, counters) {
      if (refusals < 0) return;
      ++refusals;
      throw std::bad_alloc();
    }
  };
  template <class T>
  struct joining_gemm : abax::openmp::fitted_gemm<T> {
    struct primitives : abax::openmp::fitted_gemm<T>::primitives {
      using abax::openmp::fitted_gemm<T>::primitives::primitives;
      using joiner = primitives;
    };
  };
  template <class T>
  struct matrix_rows : abax::openmp::matrix_rows<T> {
    using groups = abax::backends::groups<abax::backends::rows<joining_gemm<T>>>;
  };
};
#endif

// Tiles that rows are tried with beside their own, where a row's tile may have any size.
template <class Backend, launch::shape Kind>
std::vector<tile::product_tile> tiles_to_try() {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_base_of_v<abax::openmp::backend, Backend>) {
    if (Kind == launch::shape::vector) return {{8192, 1, 2048, 1}, {512, 1, 2048, 1}, {16, 1, 2048, 1}};
    return {{768, 1024, 256, 1}, {384, 384, 256, 1}, {96, 96, 256, 1}, {64, 64, 2048, 1}, {48, 48, 256, 1}};
  }
#endif
  return {};
}

// Every row that serves, with every tile it may have and every cut, on one set of operands. Returns how many these are.
template <launch::shape Kind, class Backend, class T>
int check_plans(const described_backend<Backend>& at, const operands<T>& o, const matrix<T>& want,
                const placement& where, tile::triangle part = tile::triangle::whole) {
  using Exec = typename Backend::execution_space;
  const operand<T, Exec> A(o.a, where), B(o.b, where), C(o.c, where);
  const tile::product<T> problem{input(A), input(B), {output(C), part}, {o.alpha, o.beta}};
  const index_t blocks = tile::canon_blocks(problem.terms());
  static sample plans(7);
  int runs = 0;
  for (auto plan : launch::plans<Backend, Kind>(problem, at.machine)) {
    std::vector<tile::product_tile> tiles = tiles_to_try<Backend, Kind>();
    tiles.push_back(plan.tile);
    for (const tile::product_tile& size : tiles)
      for (const tile::cut& cut : cuts_of(launch::tiles_of(problem, size), blocks)) {
        ++runs;
        if (!plans.takes()) continue;
        plan.tile = size;
        plan.cut = cut;
        CAPTURE(at.name, plan.row->name, size.rows, size.cols, size.depth, cut.splits, cut.whole, problem.c.rows,
                problem.c.cols, problem.terms(), where.text());
        launch::run_product("test", at.exec, at.machine, problem, plan);
        at.exec.fence();
        REQUIRE(C.difference_from(want) == "");
        C.restore();
      }
  }
  return runs;
}

// The backends of the build, and the OpenMP backend once more with the loops of each instruction set that this CPU
// runs, and with a second launch for joining block sums.
template <class T, class Visit>
void for_each_described_backend(const Visit& visit) {
  for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
    visit(described_backend<Backend>{name, exec, Backend::machine(exec)});
  });
#ifdef KOKKOS_ENABLE_OPENMP
  const auto* const* floats = abax::openmp::runnable_kernels<float>();
  const auto* const* doubles = abax::openmp::runnable_kernels<double>();
  for (const Kokkos::OpenMP exec; *floats != nullptr; ++floats, ++doubles) {
    abax::openmp::machine machine(joining_backend::machine(exec).teams_at_once, **floats, **doubles);
    machine.launch = 0;
    visit(described_backend<joining_backend>{std::string("OpenMP, ") + (*floats)->name, exec, machine});
  }
#endif
}

template <launch::shape Kind, class T>
void check_all_plans(const operands<T>& o, std::initializer_list<placement> where,
                     backends_to_run which = backends_to_run::all) {
  const matrix<T> want = o.product();
  for_each_described_backend<T>([&]<class Backend>(const described_backend<Backend>& at) {
    if (!runs<Backend>(which)) return;
    for (const placement& p : where) REQUIRE(check_plans<Kind>(at, o, want, p) > 0);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("A product of aligned copies has the same bits", "[plans][bits]", float, double) {
  using T = TestType;
  using which = backends_to_run;
  sample cases(5);
  struct extents {
    index_t m, n, k;
    which run;
  };
  for (const extents& e : {extents{67, 51, 2100, which::own},
                           {37, 35, 2100, which::portable},
                           {131, 130, 19, which::all},
                           {1, 5, 3, which::all}}) {
    const operands<T> o(e.m, e.n, e.k, numbers::special);
    const matrix<T> want = o.product();
    for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
      if (!runs<Backend>(e.run)) return;
      using Exec = typename Backend::execution_space;
      for (const placement& a : all_placements)
        for (const placement& b : all_placements) {
          if (!cases.takes()) continue;
          const operand<T, Exec> A(o.a, a), B(o.b, b), C(o.c, all_placements[0]);
          const tile::product<T> problem{input(A), input(B), output(C), {o.alpha, o.beta}};
          std::vector<abax::backends::copies> copies{{true, true}};
          if (&a == &b) copies.insert(copies.end(), {{true, false}, {false, true}});
          for (const abax::backends::copies& which : copies) {
            CAPTURE(name, e.m, e.n, e.k, a.text(), b.text(), which.a, which.b);
            REQUIRE(multiply_copies<Backend>(exec, problem, which));
            exec.fence();
            REQUIRE(C.difference_from(want) == "");
            REQUIRE(A.change() == "");
            REQUIRE(B.change() == "");
            C.restore();
          }
        }
    });
  }
}

TEMPLATE_TEST_CASE("Every plan of every backend gives the same bits, however it is split", "[plans][bits]", float,
                   double) {
  using T = TestType;
  const auto &left = all_placements[0], &right = all_placements[3], &stride = all_placements[4];
  check_all_plans<launch::shape::matrix, T>({51, 47, 4200}, {left, right, stride});
  check_all_plans<launch::shape::matrix, T>({131, 51, 2100}, {all_placements[2]});
  check_all_plans<launch::shape::matrix, T>({401, 390, 19}, {left, right});
  // A GPU has a row of its own for up to eight terms, in double three.
  for (const index_t k : {1, 3, 8})
    check_all_plans<launch::shape::matrix, T>({130 + k, 70 - k, k, numbers::special}, {left, stride},
                                              backends_to_run::own);
  check_all_plans<launch::shape::matrix, T>({67, 131, 3, numbers::vanishing}, {left, right}, backends_to_run::own);
  // Of the own backends' chunks of 1536 bytes a term, groups of columns, stages and blocks, of which none is whole.
  const index_t chunk = 1536 / sizeof(T);
  check_all_plans<launch::shape::matrix, T>({chunk + 16, 101, 2320}, {left, right}, backends_to_run::own);
  check_all_plans<launch::shape::matrix, T>({70, 45, 2320}, {left, right}, backends_to_run::portable);
  check_all_plans<launch::shape::matrix, T>({30, 17, 4097, numbers::special}, {left, right});
  check_all_plans<launch::shape::matrix, T>({30, 17, 4097, numbers::vanishing}, {left, right});
  check_all_plans<launch::shape::matrix, T>({150, 70, 300}, {left, right, all_placements[2]});
  // Many blocks: their sums are joined in batches.
  check_all_plans<launch::shape::matrix, T>({17, 9, 17 * 2048 + 5}, {left, right}, backends_to_run::own);
  check_all_plans<launch::shape::matrix, T>({50, 30, 0}, {left});
  check_all_plans<launch::shape::vector, T>({127, 1, 6200}, {left, right, stride});
  check_all_plans<launch::shape::vector, T>({5000, 1, 37}, {left, right, stride});
  check_all_plans<launch::shape::vector, T>({301, 1, 4097, numbers::special}, {left, right});
  check_all_plans<launch::shape::vector, T>({301, 1, 4097, numbers::vanishing}, {left, right});
  check_all_plans<launch::shape::vector, T>({5000, 1, 0}, {left});
  // Lines of 16-byte words, with ragged tiles and stages.
  check_all_plans<launch::shape::vector, T>({132, 1, 6212}, {left, right});
  check_all_plans<launch::shape::vector, T>({132, 1, 2100, numbers::special}, {left, right});
  check_all_plans<launch::shape::vector, T>({132, 1, 2100, numbers::vanishing}, {left, right});
  // Lines of whole words that end within one.
  const index_t short_of = sizeof(T) == 4 ? 3 : 1;
  for (const numbers kind : {numbers::special, numbers::vanishing, numbers::subnormal})
    check_all_plans<launch::shape::vector, T>({133, 1, 2101, kind},
                                              {{layout::left, short_of, 0}, {layout::right, short_of, 0}});
  check_all_plans<launch::shape::vector, T>({2044, 1, 36}, {left, right});
}

TEMPLATE_TEST_CASE("Every plan gives the same bits, whichever way the operands lie", "[plans][bits]", float, double) {
  using T = TestType;
  const auto turned = [](const matrix<T>& m) {
    matrix<T> result(m.cols, m.rows);
    for (index_t j = 0; j < m.cols; ++j)
      for (index_t i = 0; i < m.rows; ++i) result(j, i) = m(i, j);
    return result;
  };
  sample cases(5);
  const auto check = [&](const operands<T>& o, const matrix<T>& want, const placement& where, bool padded,
                         backends_to_run which) {
    const matrix<T> at = turned(o.a), bt = turned(o.b);
    for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
      using Exec = typename Backend::execution_space;
      if (!runs<Backend>(which)) return;
      for (const bool turn_a : {false, true})
        for (const bool turn_b : {false, true}) {
          const operand<T, Exec> A(turn_a ? at : o.a, where), B(turn_b ? bt : o.b, where), C(o.c, where);
          const tile::product<T> problem{turn_a ? input(A).transposed() : input(A),
                                         turn_b ? input(B).transposed() : input(B),
                                         output(C),
                                         {o.alpha, o.beta},
                                         padded,
                                         padded};
          const auto machine = Backend::machine(exec);
          for (auto plan : launch::plans<Backend, launch::shape::matrix>(problem, machine)) {
            if (!cases.takes()) continue;
            CAPTURE(name, plan.row->name, turn_a, turn_b, where.text(), padded);
            plan.cut = {};
            launch::run_product("test", exec, machine, problem, plan);
            exec.fence();
            REQUIRE(C.difference_from(want) == "");
            C.restore();
          }
        }
    });
  };
  // Large enough that every plan has tiles of which nothing is missing, short ones beside them, and many stages; of few
  // terms, in one block of the canon and in three. And odd lines with an element behind each: where that is said to be
  // theirs, chunks reach into it.
  const placement padding{layout::left, 1, 0};
  for (const backends_to_run which : {backends_to_run::own, backends_to_run::portable}) {
    const bool small = which == backends_to_run::portable;
    for (const index_t k : {3, 300, 4200}) {
      const operands<T> o(small ? 70 : 260, small ? 45 : 140, k);
      const matrix<T> want = o.product();
      for (const placement& where : {all_placements[0], all_placements[2]}) check(o, want, where, false, which);
    }
    for (const index_t k : {299, 2099}) {
      const operands<T> o(small ? 37 : 131, small ? 69 : 267, k, numbers::special);
      check(o, o.product(), padding, true, which);
    }
  }
}

TEMPLATE_TEST_CASE("Every plan of every backend gives a triangle the same bits, and nothing else",
                   "[plans][gemmt][bits]", float, double) {
  using T = TestType;
  const auto check = [](index_t n, index_t k, const placement& where, backends_to_run which) {
    const operands<T> o(n, n, k, k > 4000 ? numbers::special : numbers::unit);
    for (const char uplo : {'L', 'U'}) {
      const matrix<T> want = abax::reference::gemmt(uplo, 'N', 'N', o.alpha, o.a, o.b, o.beta, o.c);
      const tile::triangle part = uplo == 'L' ? tile::triangle::lower : tile::triangle::upper;
      for_each_described_backend<T>([&]<class Backend>(const described_backend<Backend>& at) {
        if (runs<Backend>(which)) REQUIRE(check_plans<launch::shape::matrix>(at, o, want, where, part) > 0);
      });
    }
  };
  using which = backends_to_run;
  for (const placement& where : {all_placements[0], all_placements[3], all_placements[4]}) {
    check(70, 45, where, which::all);
    check(131, 2100, where, which::own);
    check(47, 4200, where, which::portable);
    check(401, 19, where, which::own);
    check(257, 3, where, which::own);
    check(50, 0, where, which::all);
  }
  check(19, 17 * 2048 + 5, all_placements[0], which::own);
}

TEMPLATE_TEST_CASE("Without memory for block sums, teams share no tile, and the bits are the same", "[plans][bits]",
                   float, double) {
#ifdef KOKKOS_ENABLE_OPENMP
  using T = TestType;
  const operands<T> o(67, 51, 4200, numbers::special);
  const matrix<T> want = o.product();
  const placement& where = all_placements[0];
  const Kokkos::OpenMP exec;
  const described_backend<joining_backend> at{"OpenMP without memory", exec, joining_backend::machine(exec)};
  const operand<T, Kokkos::OpenMP> A(o.a, where), B(o.b, where), C(o.c, where);
  tile::product<T> problem{input(A), input(B), output(C), {o.alpha, o.beta}};
  auto plan = launch::plans<joining_backend, launch::shape::matrix>(problem, at.machine).front();
  plan.cut = {3};
  joining_backend::refusals = 0;
  const auto run = [&] { launch::run_product("test", exec, at.machine, problem, plan); };
  CHECK_NOTHROW(run());
  const int refused = joining_backend::refusals;
  joining_backend::refusals = -1;
  REQUIRE(refused == 1);
  exec.fence();
  REQUIRE(C.difference_from(want) == "");
#else
  SKIP("this build has no OpenMP");
#endif
}

TEMPLATE_TEST_CASE("Teams of one, two and four threads give the same bits", "[threads][bits]", float, double) {
#ifdef KOKKOS_ENABLE_OPENMP
  using T = TestType;
  const operands<T> whole(45, 37, 70), split(20, 13, 2090);
  const matrix<T> want = whole.product(), want_split = split.product();
  for_each_thread_count([&](const Kokkos::OpenMP& exec, int threads) {
    using portable = abax::portable::backend<Kokkos::OpenMP>;
    const described_backend<portable> at{"portable on OpenMP with " + std::to_string(threads) + " threads", exec,
                                         portable::machine(exec)};
    for (const placement& where : {all_placements[2], all_placements[3]}) {
      check_plans<launch::shape::matrix>(at, whole, want, where);
      if (threads < 4) check_plans<launch::shape::matrix>(at, split, want_split, where);
    }
  });
#else
  SKIP("this build has no OpenMP");
#endif
}

TEMPLATE_TEST_CASE("Every backend that can run on a space serves transpose and streams with the same bits",
                   "[plans][bits]", float, double) {
  using T = TestType;
  const matrix<T> x = random_vector<T>(70001, numbers::unit, 1), y = random_vector<T>(70001, numbers::unit, 2),
                  a = random_matrix<T>(267, 309, numbers::special, 3),
                  q = random_matrix<T>(199, 199, numbers::special, 4);
  const matrix<T> a_t = abax::reference::transpose(a), q_t = abax::reference::transpose(q),
                  combined = abax::reference::axpby(T(1.7), x, T(-0.3), y),
                  incremented = abax::reference::increment(T(0.7), x);
  for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
    using Exec = typename Backend::execution_space;
    for (const placement& where : all_placements) {
      CAPTURE(name, where.text());
      const operand<T, Exec> X(x, where), Y(y, where), A(a, where), B(matrix<T>(309, 267), where), Q(q, where);
      const auto vector = [](const auto& m) { return tile::vector<T>{m.data, m.rows, m.row_stride}; };
      const tile::vector<T> vx = vector(output(X)), vy = vector(output(Y));
      const tile::vector<const T> cx{vx.data, vx.size, vx.stride}, cy{vy.data, vy.size, vy.stride};
      launch::run_transpose<Backend>("test", exec, tile::transpose<T>{input(A), output(B).transposed()});
      launch::run_transpose_in_place<Backend>("test", exec, output(Q));
      exec.fence();
      REQUIRE(B.difference_from(a_t) == "");
      REQUIRE(Q.difference_from(q_t) == "");
      launch::run_stream<Backend>("test", exec, tile::combine<T>{cx, cy, vy, {T(1.7), T(-0.3)}});
      exec.fence();
      REQUIRE(Y.difference_from(combined) == "");
      launch::run_stream<Backend>("test", exec, tile::copy<T>{cx, vy});
      exec.fence();
      REQUIRE(Y.difference_from(x) == "");
      launch::run_stream<Backend>("test", exec, tile::increment<T>{vx, T(0.7)});
      exec.fence();
      REQUIRE(X.difference_from(incremented) == "");
    }
  });
}

TEMPLATE_TEST_CASE("Every backend reduces with the same bits, run after run", "[reductions][plans][bits]", float,
                   double) {
  using T = TestType;
  for (const index_t n : {0, 1, 1023, 1025, 32769, 400001, (1 << 20) + 1}) {
    const matrix<T> x = random_vector<T>(n, numbers::wide, 1), y = random_vector<T>(n, numbers::unit, 2);
    const matrix<T> dot(1, 1, abax::reference::dot(x, y)), sum(1, 1, abax::reference::sum(y)),
        asum(1, 1, abax::reference::asum(x)), nrm2(1, 1, abax::reference::nrm2(x));
    const index_t iamax = abax::reference::iamax(x);
    for_each_backend([&]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
      using Exec = typename Backend::execution_space;
      for (const placement& where : {all_placements[0], all_placements[2]}) {
        const operand<T, Exec> X(x, where), Y(y, where), R(matrix<T>(1, 1), where);
        const Kokkos::View<index_t, typename Exec::memory_space> index("index");
        const auto vector = [&](const auto& v) { return tile::vector<const T>{v.data(), n, where.step}; };
        const auto run = [&](const auto& kernel, auto* result) {
          using kind = std::decay_t<decltype(kernel)>;
          launch::run_reduction<Backend>("test", exec, Backend::machine(exec), tile::reduction<kind>{kernel, result});
          exec.fence();
        };
        for (int turn = 0; turn < 4; ++turn) {  // which team is last differs from run to run
          CAPTURE(name, n, where.text(), turn);
          run(tile::dot<T>{{{vector(X), vector(Y)}}}, R.data());
          REQUIRE(R.difference_from(dot) == "");
          run(tile::sum<T>{{{vector(Y)}}}, R.data());
          REQUIRE(R.difference_from(sum) == "");
          run(tile::asum<T>{{{vector(X)}}}, R.data());
          REQUIRE(R.difference_from(asum) == "");
          run(tile::nrm2<T>{{vector(X)}}, R.data());
          REQUIRE(R.difference_from(nrm2) == "");
          run(tile::iamax<T>{{vector(X)}}, index.data());
          index_t found = -2;
          Kokkos::deep_copy(found, index);
          REQUIRE(found == iamax);
        }
      }
    });
  }
}

TEMPLATE_TEST_CASE("A column of a gemm is the gemv of that column", "[consistency][bits]", float, double) {
  using T = TestType;
  for (const index_t k : {1, 31, 2048, 2049, 6151}) {
    const operands<T> o(45, 13, k);
    for_each_space([&](const auto& exec) {
      using Exec = std::decay_t<decltype(exec)>;
      using View = Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space>;
      const operand<T, Exec> A(o.a, all_placements[2]), B(o.b, all_placements[3]), C(o.c, all_placements[2]),
          Y(o.c, all_placements[2]);
      const View a = A.template view<Kokkos::LayoutLeft>(), c = C.template view<Kokkos::LayoutLeft>(),
                 y = Y.template view<Kokkos::LayoutLeft>();
      const auto b = B.template view<Kokkos::LayoutRight>();
      abax::gemm(exec, "N", "N", T(1), a, b, T(0), c);
      for (int j = 0; j < 13; ++j)
        abax::gemv(exec, "N", T(1), a, Kokkos::subview(b, Kokkos::ALL, j), T(0), Kokkos::subview(y, Kokkos::ALL, j));
      exec.fence();
      const matrix<T> product = C.values();
      CAPTURE(Exec::name(), k);
      REQUIRE(difference(Y.values(), product) == "");
    });
  }
}

TEMPLATE_TEST_CASE("A block of a product is the product of the blocks", "[consistency][bits]", float, double) {
  using T = TestType;
  const operands<T> o(150, 140, 2500);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const operand<T, Exec> A(o.a, all_placements[0]), B(o.b, all_placements[1]), C(o.c, all_placements[2]),
        Whole(o.c, all_placements[2]);
    const auto a = A.template view<Kokkos::LayoutLeft>();
    const auto b = B.template view<Kokkos::LayoutRight>();
    const auto c = C.template view<Kokkos::LayoutLeft>();
    abax::gemm(exec, "N", "N", T(-1), a, b, T(1), Whole.template view<Kokkos::LayoutLeft>());
    using range = std::pair<int, int>;
    for (const range& rows : {range(0, 1), range(1, 34), range(34, 150)})
      for (const range& cols : {range(0, 67), range(67, 68), range(68, 140)})
        abax::gemm(exec, "N", "N", T(-1), Kokkos::subview(a, rows, Kokkos::ALL), Kokkos::subview(b, Kokkos::ALL, cols),
                   T(1), Kokkos::subview(c, rows, cols));
    exec.fence();
    CAPTURE(Exec::name());
    REQUIRE(difference(C.values(), Whole.values()) == "");
  });
}

TEST_CASE("The number of threads changes no bit", "[threads][bits]") {
#ifdef KOKKOS_ENABLE_OPENMP
  using T = float;
  using Exec = Kokkos::OpenMP;
  const operands<T> o(150, 70, 4500);
  const matrix<T> x = random_vector<T>(400000, numbers::unit, 5), y = random_vector<T>(400000, numbers::unit, 6),
                  v = random_vector<T>(4500, numbers::unit, 7), w = random_vector<T>(150, numbers::unit, 8);
  const matrix<T> product = o.product(), product_v = abax::reference::gemv('N', T(2), o.a, v, T(1), w),
                  a_t = abax::reference::transpose(o.a), sum(1, 1, abax::reference::dot(x, y)),
                  combined = abax::reference::axpby(T(1.7), x, T(-0.3), y);
  for_each_thread_count([&](const Exec& exec, int threads) {
    CAPTURE(threads);
    REQUIRE(count_threads::of(exec) == threads);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const placement where = all_placements[repeat];
      const operand<T, Exec> A(o.a, where), B(o.b, where), C(o.c, where), V(v, where), W(w, where),
          At(matrix<T>(4500, 150), where), X(x, where), Y(y, where), R(matrix<T>(1, 1), where);
      A.visit([&](const auto& a) {
        B.visit([&](const auto& b) {
          C.visit([&](const auto& c) { abax::gemm(exec, "N", "N", o.alpha, a, b, o.beta, c); });
        });
        V.visit_vector([&](const auto& in) {
          W.visit_vector([&](const auto& out) { abax::gemv(exec, "N", T(2), a, in, T(1), out); });
        });
        At.visit([&](const auto& at) { abax::transpose(exec, a, at); });
      });
      X.visit_vector([&](const auto& in) {
        Y.visit_vector([&](const auto& out) {
          abax::dot(exec, in, out,
                    Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(R.data()));
          abax::axpby(exec, T(1.7), in, T(-0.3), out);
        });
      });
      exec.fence();
      REQUIRE(C.difference_from(product) == "");
      REQUIRE(W.difference_from(product_v) == "");
      REQUIRE(At.difference_from(a_t) == "");
      REQUIRE(R.difference_from(sum) == "");
      REQUIRE(Y.difference_from(combined) == "");
    }
  });
#else
  SKIP("this build has no OpenMP");
#endif
}

TEMPLATE_TEST_CASE("Alignment changes no bit", "[consistency][bits]", float, double) {
  using T = TestType;
  const operands<T> o(70, 50, 300);
  const matrix<T> product = o.product(), x = random_vector<T>(5000, numbers::unit, 5),
                  y = random_vector<T>(5000, numbers::unit, 6), sum(1, 1, abax::reference::dot(x, y)),
                  a_t = abax::reference::transpose(o.a);
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    for (index_t offset = 0; offset < 16; ++offset)
      for (const layout how : {layout::left, layout::right}) {
        const placement a{how, offset % 5, offset}, b{how, 4, (offset * 5) % 16}, c{how, 8, (offset * 7) % 16};
        CAPTURE(Exec::name(), a.text(), b.text(), c.text());
        const operand<T, Exec> A(o.a, a), B(o.b, b), C(o.c, c), At(matrix<T>(300, 70), c),
            X(x, {layout::left, 0, offset}), Y(y, {layout::left, 0, offset / 2}), R(matrix<T>(1, 1), c);
        A.visit([&](const auto& va) {
          B.visit([&](const auto& vb) {
            C.visit([&](const auto& vc) { abax::gemm(exec, "N", "N", o.alpha, va, vb, o.beta, vc); });
          });
          At.visit([&](const auto& vt) { abax::transpose(exec, va, vt); });
        });
        X.visit_vector([&](const auto& vx) {
          Y.visit_vector([&](const auto& vy) {
            R.visit_vector([&](const auto& r) { abax::dot(exec, vx, vy, Kokkos::subview(r, 0)); });
          });
        });
        exec.fence();
        REQUIRE(C.difference_from(product) == "");
        REQUIRE(At.difference_from(a_t) == "");
        REQUIRE(R.difference_from(sum) == "");
      }
  });
}
