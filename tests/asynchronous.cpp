// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instances: a call waits for nothing, fences nobody, and shares nothing with calls on other instances.
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "cuda_streams.hpp"
#include "inputs.hpp"
#include "integer_reference.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

// One of everything, in flight together on one instance; k has several blocks, so that products are split.
template <class T, class Exec>
class workload {
 public:
  explicit workload(std::uint64_t seed)
      : a_(random_matrix<T>(70, 4500, numbers::unit, seed)),
        b_(random_matrix<T>(4500, 20, numbers::unit, seed + 1)),
        c_(random_matrix<T>(70, 20, numbers::unit, seed + 2)),
        x_(random_vector<T>(70000, numbers::unit, seed + 3)),
        y_(random_vector<T>(70000, numbers::unit, seed + 4)),
        A(a_, all_placements[2]),
        B(b_, all_placements[2]),
        C(c_, all_placements[2]),
        V(matrix<T>(70, 1), all_placements[0]),
        At(matrix<T>(4500, 70), all_placements[2]),
        X(x_, all_placements[0]),
        Y(y_, all_placements[0]),
        R(matrix<T>(1, 1), all_placements[0]),
        I(block(c_, integer_rows, 20), all_placements[2]),
        product_(abax::reference::gemm('N', 'N', T(1.25), a_, b_, T(-0.75), c_)),
        sum_(1, 1, abax::reference::dot(x_, y_)),
        combined_(abax::reference::axpby(T(1.7), x_, T(-0.3), y_)),
        vector_(abax::reference::gemm('N', 'N', T(1), a_, column(b_, 0), T(0), matrix<T>(70, 1))),
        integer_(abax::reference::gemm_integer('N', 'N', T(1.25), block(a_, integer_rows, integer_terms),
                                               block(b_, integer_terms, 20), T(-0.75), block(c_, integer_rows, 20),
                                               std::numeric_limits<T>::digits)) {}

  void start(const Exec& exec) const {
    const auto a = A.template view<Kokkos::LayoutLeft>(), b = B.template view<Kokkos::LayoutLeft>();
    abax::gemm(exec, "N", "N", T(1.25), a, b, T(-0.75), C.template view<Kokkos::LayoutLeft>());
    const std::pair<index_t, index_t> rows(0, integer_rows), terms(0, integer_terms);
    abax::gemm_integer(exec, "N", "N", T(1.25), Kokkos::subview(a, rows, terms), Kokkos::subview(b, terms, Kokkos::ALL),
                       T(-0.75), I.template view<Kokkos::LayoutLeft>());
    abax::transpose(exec, a, At.template view<Kokkos::LayoutLeft>());
    V.visit_vector([&](const auto& v) { abax::gemv(exec, "N", T(1), a, Kokkos::subview(b, Kokkos::ALL, 0), T(0), v); });
    X.visit_vector([&](const auto& x) {
      Y.visit_vector([&](const auto& y) {
        R.visit_vector([&](const auto& r) { abax::dot(exec, x, y, Kokkos::subview(r, 0)); });
        abax::axpby(exec, T(1.7), x, T(-0.3), y);
      });
    });
  }
  /// Empty if all results are right. The instance must be fenced.
  std::string wrong() const {
    return C.difference_from(product_) + I.difference_from(integer_) + V.difference_from(vector_) +
           At.difference_from(abax::reference::transpose(a_)) + R.difference_from(sum_) + Y.difference_from(combined_);
  }
  /// True if nothing has been written yet. Likewise.
  bool untouched() const {
    return (C.change() + I.change() + V.change() + At.change() + R.change() + Y.change()).empty();
  }
  void restore() const { C.restore(), I.restore(), V.restore(), At.restore(), Y.restore(), R.restore(); }

 private:
  static matrix<T> column(const matrix<T>& m, index_t j) {
    matrix<T> result(m.rows, 1);
    for (index_t i = 0; i < m.rows; ++i) result(i) = m(i, j);
    return result;
  }

  static matrix<T> block(const matrix<T>& m, index_t rows, index_t cols) {
    matrix<T> result(rows, cols);
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) result(i, j) = m(i, j);
    return result;
  }

  static constexpr index_t integer_rows = 30, integer_terms = 400;  // the oracle takes its time
  matrix<T> a_, b_, c_, x_, y_;
  operand<T, Exec> A, B, C, V, At, X, Y, R, I;
  matrix<T> product_, sum_, combined_, vector_, integer_;
};

#ifdef KOKKOS_ENABLE_CUDA
// Keeps a stream busy until the host says go, or until a generous limit, so that a test that fails does not hang.
struct busy {
  volatile int* go;
  volatile int* gave_up;
  KOKKOS_FUNCTION void operator()(int) const {
    for (long i = 0; *go == 0; ++i)
      if (i == 20'000'000) {  // each look crosses the bus: tens of seconds
        *gave_up = 1;
        return;
      }
  }
};
#endif

}  // namespace

TEMPLATE_TEST_CASE("Calls on a CUDA instance return at once and fence no other instance", "[asynchronous]", float,
                   double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  const streams two;
  const Kokkos::Cuda first(two.handle[0]), second(two.handle[1]);
  const workload<T, Kokkos::Cuda> one(1), other(11);
  const Kokkos::View<int[2], Kokkos::SharedHostPinnedSpace> flags("flags");
  volatile int* const flag = flags.data();

  // Once without company: the first launch of a kernel loads it, and that waits for the whole device.
  const auto start_busy = [&] {
    Kokkos::parallel_for("busy", Kokkos::RangePolicy<Kokkos::Cuda>(first, 0, 1), busy{flag, flag + 1});
  };
  flag[0] = 1;
  start_busy();
  one.start(first);
  other.start(second);
  Kokkos::fence();
  REQUIRE(one.wrong() == "");
  REQUIRE(other.wrong() == "");
  one.restore();
  other.restore();

  flag[0] = 0;
  start_busy();
  one.start(first);  // queued behind `busy`: must not wait for it
  const bool queued = cudaStreamQuery(two.handle[0]) == cudaErrorNotReady;
  other.start(second);
  second.fence();  // the other instance finishes meanwhile
  const bool still_busy = cudaStreamQuery(two.handle[0]) == cudaErrorNotReady;
  flag[0] = 1;
  first.fence();
  REQUIRE(flag[1] == 0);
  REQUIRE(queued);
  REQUIRE(still_busy);
  REQUIRE(one.wrong() == "");
  REQUIRE(other.wrong() == "");
#else
  SKIP("this build has no CUDA");
#endif
}

TEMPLATE_TEST_CASE("Host threads with an instance each do not disturb one another", "[asynchronous][bits]", float,
                   double) {
  using T = TestType;
  const auto check = [](const auto& instances) {
    using Exec = typename std::decay_t<decltype(instances)>::value_type;
    std::vector<std::unique_ptr<workload<T, Exec>>> loads;
    for (std::size_t i = 0; i < instances.size(); ++i) loads.push_back(std::make_unique<workload<T, Exec>>(100 * i));
    for (int round = 0; round < 5; ++round) {
      std::vector<std::thread> threads;
      for (std::size_t i = 0; i < instances.size(); ++i)
        threads.emplace_back([&, i] {
          loads[i]->start(instances[i]);
          instances[i].fence();
        });
      for (std::thread& thread : threads) thread.join();
      for (const auto& load : loads) {  // checked here: Catch2's assertions belong to one thread
        CAPTURE(Exec::name(), round);
        REQUIRE(load->wrong() == "");
        load->restore();
      }
    }
  };
#ifdef KOKKOS_ENABLE_OPENMP
  check(std::vector<Kokkos::OpenMP>{Kokkos::OpenMP(1), Kokkos::OpenMP(2), Kokkos::OpenMP(1)});
#endif
#ifdef KOKKOS_ENABLE_CUDA
  const streams two;
  check(std::vector<Kokkos::Cuda>{Kokkos::Cuda(two.handle[0]), Kokkos::Cuda(two.handle[1])});
#endif
}

TEMPLATE_TEST_CASE("Host threads share an instance", "[asynchronous][bits]", float, double) {
  using T = TestType;
  const auto check = [](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    std::vector<std::unique_ptr<workload<T, Exec>>> loads;
    for (int i = 0; i < 2; ++i) loads.push_back(std::make_unique<workload<T, Exec>>(300 + 100 * i));
    for (int round = 0; round < 5; ++round) {
      std::vector<std::thread> threads;
      for (const auto& load : loads)
        threads.emplace_back([&] {
          load->start(exec);
          exec.fence();
        });
      for (std::thread& thread : threads) thread.join();
      exec.fence();
      for (const auto& load : loads) {
        CAPTURE(Exec::name(), round);
        REQUIRE(load->wrong() == "");
        load->restore();
      }
    }
  };
#ifdef KOKKOS_ENABLE_OPENMP
  check(Kokkos::OpenMP());
#endif
#ifdef KOKKOS_ENABLE_CUDA
  const streams two;
  check(Kokkos::Cuda(two.handle[0]));
#endif
}

TEMPLATE_TEST_CASE("Calls are captured in a CUDA graph, split ones too", "[asynchronous][bits]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  using T = TestType;
  const streams two;
  const cudaStream_t stream = two.handle[0];
  const Kokkos::Cuda exec(stream);
  const workload<T, Kokkos::Cuda> load(51);
  load.start(exec);  // loads the kernels, which no capture allows
  exec.fence();
  REQUIRE(load.wrong() == "");
  load.restore();

  captured graph(stream);
  load.start(exec);
  graph.end();
  REQUIRE(load.untouched());
  for (int round = 0; round < 3; ++round) {
    graph.launch();
    if (round == 1) {  // beside a call that no graph holds: both count arrivals
      exec.fence();
      load.restore();
      load.start(exec);
    }
    exec.fence();
    CAPTURE(round);
    REQUIRE(load.wrong() == "");
    load.restore();
  }
#else
  SKIP("this build has no CUDA");
#endif
}

TEST_CASE("Streams come and go, and what is kept for them is bounded", "[asynchronous][bits]") {
#ifdef KOKKOS_ENABLE_CUDA
  using abax::cuda::kept_memory;
  const workload<float, Kokkos::Cuda> one(71), other(81);
  for (std::size_t round = 0; round < kept_memory::most_streams; ++round) {  // twice as many as are served
    const streams two;
    const Kokkos::Cuda first(two.handle[0]), second(two.handle[1]);
    one.start(first);
    other.start(second);
    first.fence();
    second.fence();
    CAPTURE(round);
    REQUIRE(one.wrong() == "");
    REQUIRE(other.wrong() == "");
    one.restore();
    other.restore();
  }
  std::uint64_t used = 0;
  REQUIRE(cudaMemPoolGetAttribute(kept_memory::pool(Kokkos::Cuda().cuda_device()), cudaMemPoolAttrUsedMemCurrent,
                                  &used) == cudaSuccess);
  REQUIRE(used > 0);
  REQUIRE(used <= kept_memory::most_streams * kept_memory::counters * sizeof(unsigned));
#else
  SKIP("this build has no CUDA");
#endif
}
