// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA graphs that are replayed with other data each time, on one stream and on many at once: every result has the bits
// of the same calls on the host.
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "cuda_streams.hpp"
#include "place_functor.hpp"

#ifdef KOKKOS_ENABLE_CUDA
namespace {

using abax::index_t;
using host_space = Kokkos::DefaultHostExecutionSpace;

/// Numbers in [-1, 1) that differ from step to step.
template <class R>
struct draw {
  R* numbers;
  const std::uint64_t* step;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    constexpr int digits = std::numeric_limits<R>::digits;
    std::uint64_t z = *step * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(i) * 0xD1B54A32D192ED03ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    numbers[i] = static_cast<R>(static_cast<std::int64_t>(z ^ (z >> 31)) >> (64 - digits)) *
                 (R(1) / static_cast<R>(std::uint64_t(1) << (digits - 1)));
  }
};

/// Adds all bits to digests of what every element was so far: a difference once is a difference for good, since a
/// multiplication by an odd number is one to one.
template <class R>
struct fold {
  using bits = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
  const R* numbers;
  const index_t* position;
  std::uint64_t* digests;
  std::uint64_t* step;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    digests[i] = digests[i] * 0x9E3779B97F4A7C15ull + Kokkos::bit_cast<bits>(numbers[i]);
    if (i > 0) return;
    digests[0] += static_cast<std::uint64_t>(*position) << 32;
    ++*step;
  }
};

/// A step draws all numbers anew, makes one call or more of every kernel, and folds all numbers: operands, results and
/// what lies between them.
template <class R, class Exec>
class steps {
 public:
  explicit steps(std::uint64_t seed) { Kokkos::deep_copy(step_, seed << 32); }

  void run(const Exec& exec) const {
    index_t next = 0;
    const auto real = [&](index_t rows, index_t cols) { return take<R>(next, rows, cols); };
    const auto column = [&](index_t rows) { return Kokkos::subview(take<R>(next, rows, 1), Kokkos::ALL, 0); };
    const auto number = [&] { return Kokkos::subview(take<R>(next, 1, 1), 0, 0); };
    const auto complex = [&](index_t rows, index_t cols) { return take<Kokkos::complex<R>>(next, rows, cols); };
    const auto stack = [&](index_t items, index_t rows, index_t cols) {
      const auto lines = take<R>(next, items, rows * cols);
      return Kokkos::View<R***, Kokkos::LayoutLeft, memory, unmanaged>(lines.data(), items, rows, cols);
    };
    using T = Kokkos::complex<R>;
    constexpr index_t terms = 4500;  // of several blocks: such sums are split

    Kokkos::parallel_for("draw", range(exec), draw<R>{numbers_.data(), step_.data()});

    const auto a = real(4, terms), b = real(terms, 3), c = real(4, 3);
    abax::gemm(exec, "N", "N", R(1.25), a, b, R(-0.75), c);
    const auto d = real(65, 33), e = real(65, 17), f = real(33, 17);
    abax::gemm(exec, "T", "N", R(1), d, e, R(0), f);
    abax::gemm(exec, "N", "T", R(-1), f, e, R(1), real(33, 65));
    abax::gemmt(exec, "L", "T", "N", R(0.5), d, d, R(1), real(33, 33));
    abax::syrk(exec, "U", "N", R(1), e, R(-0.5), real(65, 65));
    abax::gemm_integer(exec, "N", "N", R(1), real(20, 70), real(70, 10), R(0.5), real(20, 10));
    abax::gemm_batched(exec, "N", "T", R(1), stack(6, 5, 7), stack(6, 3, 7), R(0.5), stack(6, 5, 3));
    const auto g = complex(13, 21), h = complex(9, 21), i = complex(13, 9);
    abax::gemm(exec, "N", "C", T(1, 0.5), g, h, T(-1, 0.25), i);
    abax::herk(exec, "L", "N", R(1), g, R(0.5), complex(13, 13));
    abax::gemv(exec, "C", T(1, 0), g, Kokkos::subview(i, Kokkos::ALL, 0), T(0, 0),
               Kokkos::subview(complex(21, 1), Kokkos::ALL, 0));
    abax::gemm_batched(exec, "N", "N", R(1), stack(5, 16, 16), stack(5, 16, 16), R(0), stack(5, 16, 16));
    abax::gemm_batched(exec, "T", "N", R(-1), stack(3, 33, 40), stack(3, 33, 24), R(1), stack(3, 40, 24));
    const auto vectors = stack(6, 7, 1), sums = stack(6, 5, 1);
    abax::gemv_batched(exec, "N", R(1), stack(6, 5, 7), Kokkos::subview(vectors, Kokkos::ALL, Kokkos::ALL, 0), R(0.5),
                       Kokkos::subview(sums, Kokkos::ALL, Kokkos::ALL, 0));
    abax::gemm(exec, "T", "N", R(1), d, e, R(0.5), real(33, 17), abax::tests::difference_of_places());
    abax::gemm_integer(exec, "N", "C", T(1, 0), g, h, T(0, 0.5), complex(13, 9), abax::integer_options{});

    const auto items = [&](index_t rows, index_t cols) {
      const auto lines = complex(5, rows * cols);
      return Kokkos::View<T***, Kokkos::LayoutLeft, memory, unmanaged>(lines.data(), 5, rows, cols);
    };
    abax::gemm_batched(exec, "C", "N", T(1, 0), items(8, 6), items(8, 7), T(0, 1), items(6, 7));

    const auto x = column(terms), y = column(terms), z = column(terms);
    abax::gemv(exec, "N", R(1), a, x, R(0), column(4));
    abax::gemv(exec, "T", R(1.5), d, Kokkos::subview(e, Kokkos::ALL, 2), R(-1), column(33));
    abax::dot(exec, x, y, number());
    abax::sum(exec, x, number());
    abax::asum(exec, x, number());
    abax::nrm2(exec, y, number());
    abax::iamax(exec, y, position_);
    abax::triad(exec, R(0.75), x, y, z);
    abax::axpby(exec, R(1.7), z, R(-0.3), y);
    abax::scal(exec, x, R(0.9), y);
    abax::copy(exec, x, column(terms));
    abax::increment(exec, R(0.125), z);
    abax::transpose(exec, d, real(33, 65));
    abax::transpose(exec, real(50, 50));
    abax::conjugate_transpose(exec, g, complex(21, 13));
    abax::conjugate_transpose(exec, complex(30, 30));
    const auto p = Kokkos::subview(complex(300, 1), Kokkos::ALL, 0),
               q = Kokkos::subview(complex(300, 1), Kokkos::ALL, 0);
    abax::dotc(exec, p, q, Kokkos::subview(complex(1, 1), 0, 0));
    abax::nrm2(exec, p, number());
    abax::axpby(exec, T(0.5, -1), p, T(0, 1), q);
    if (next > count) throw std::logic_error("a step takes more numbers than there are");

    Kokkos::parallel_for("fold", range(exec),
                         fold<R>{numbers_.data(), position_.data(), digests_.data(), step_.data()});
  }

  /// Exec's instances that ran steps must be fenced.
  std::vector<std::uint64_t> digests() const {
    const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), digests_);
    return {copy.data(), copy.data() + count};
  }

 private:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  static constexpr index_t count = 100000;

  static Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>> range(const Exec& exec) { return {exec, 0, count}; }

  /// The next numbers as a matrix, and at least two behind it.
  template <class T>
  Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged> take(index_t& next, index_t rows, index_t cols) const {
    constexpr index_t parts = sizeof(T) / sizeof(R);
    R* const first = numbers_.data() + next;
    next = (next + rows * cols * parts + 3) / 2 * 2;
    return Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged>(reinterpret_cast<T*>(first), rows, cols);
  }

  Kokkos::View<R*, memory> numbers_{"numbers", count};
  Kokkos::View<std::uint64_t*, memory> digests_{"digests", count};
  Kokkos::View<std::uint64_t, memory> step_{"step"};
  Kokkos::View<index_t, memory> position_{"position"};
};

/// Where two sets of digests differ first; empty if nowhere.
std::string difference(const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (found[i] != expected[i]) return "number " + std::to_string(i) + " was another in one of the steps";
  return "";
}

/// A graph of a step, replayed so many times, a tenth of them between two looks at the digests.
template <class R>
void replay(int replays) {
  const abax::tests::streams two;
  const Kokkos::Cuda exec(two.handle[0]);
  const host_space host;
  const steps<R, Kokkos::Cuda> replayed(7);
  const steps<R, host_space> called(7);
  replayed.run(exec);
  called.run(host);
  exec.fence();
  REQUIRE(difference(replayed.digests(), called.digests()) == "");

  abax::tests::captured graph(two.handle[0]);
  replayed.run(exec);
  graph.end();
  for (int part = 0; part < 10; ++part) {
    for (int i = 0; i < replays / 10; ++i) graph.launch();
    for (int i = 0; i < replays / 10; ++i) called.run(host);
    exec.fence();
    host.fence();
    CAPTURE(part);
    REQUIRE(difference(replayed.digests(), called.digests()) == "");
  }
}

/// A stream of that priority, or the calling thread's default stream.
class stream_of_thread {
 public:
  explicit stream_of_thread(int priority)
      : status_(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, priority)) {}
  stream_of_thread() : handle_(cudaStreamPerThread), status_(cudaSuccess) {}
  ~stream_of_thread() {
    if (handle_ != cudaStreamPerThread && status_ == cudaSuccess) static_cast<void>(cudaStreamDestroy(handle_));
  }
  stream_of_thread(const stream_of_thread&) = delete;
  cudaStream_t handle() const {
    if (status_ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status_));
    return handle_;
  }

 private:
  cudaStream_t handle_ = nullptr;
  cudaError_t status_;
};

}  // namespace
#endif

TEMPLATE_TEST_CASE("A graph replayed with other data each time has the bits of calls on the host",
                   "[asynchronous][bits]", float, double) {
#ifdef KOKKOS_ENABLE_CUDA
  replay<TestType>(200);
#else
  SKIP("this build has no CUDA");
#endif
}

TEMPLATE_TEST_CASE("A graph replayed a hundred thousand times has the bits of calls on the host", "[.replays]", float,
                   double) {
#ifdef KOKKOS_ENABLE_CUDA
  replay<TestType>(100'000);
#else
  SKIP("this build has no CUDA");
#endif
}

TEST_CASE("Threads call and replay on streams of all priorities and on their default streams at once",
          "[asynchronous][bits]") {
#ifdef KOKKOS_ENABLE_CUDA
  constexpr int threads = 12, replays = 20;
  int least = 0, greatest = 0;
  REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
  {
    const steps<float, Kokkos::Cuda> first(0);  // loads the kernels
    first.run(Kokkos::Cuda());
    Kokkos::fence();
  }
  std::vector<std::unique_ptr<steps<float, Kokkos::Cuda>>> found;
  for (int t = 0; t < threads; ++t) found.push_back(std::make_unique<steps<float, Kokkos::Cuda>>(t));
  std::vector<std::unique_ptr<stream_of_thread>> streams;
  std::vector<Kokkos::Cuda> instances;  // which Kokkos makes on one thread at a time
  for (int t = 0; t < threads; ++t) {
    streams.push_back(t % 3 == 0 ? std::make_unique<stream_of_thread>()
                                 : std::make_unique<stream_of_thread>(t % 3 == 1 ? least : greatest));
    instances.emplace_back(streams.back()->handle());
  }
  std::vector<std::exception_ptr> thrown(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      try {
        const Kokkos::Cuda& exec = instances[t];
        abax::tests::captured graph(streams[t]->handle());
        found[t]->run(exec);
        graph.end();
        for (int i = 0; i < replays; ++i) {
          graph.launch();
          found[t]->run(exec);
        }
        exec.fence();
      } catch (...) {
        thrown[t] = std::current_exception();
      }
    });
  for (std::thread& thread : running) thread.join();
  for (int t = 0; t < threads; ++t) {
    if (thrown[t]) std::rethrow_exception(thrown[t]);
    const host_space host;
    const steps<float, host_space> expected(t);
    for (int i = 0; i < 2 * replays; ++i) expected.run(host);
    host.fence();
    CAPTURE(t);
    REQUIRE(difference(found[t]->digests(), expected.digests()) == "");
  }
#else
  SKIP("this build has no CUDA");
#endif
}
