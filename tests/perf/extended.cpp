// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What another project brings to abax-perf by linking a source of its own: rows of the table, a sensor. With this, the
// program is the suite with those; perf_extended.cmake runs it.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "../../perf/suite/ranks/ranks.hpp"
#include "../../perf/suite/runner.hpp"
#include "../../perf/suite/workloads.hpp"

namespace {

using namespace abax::perf;
using abax::index_t;

/// How many kernels are prepared now of those that this machine, so says its sensor, gets hot from.
std::atomic<int> hot{0};

template <class T>
struct scale {
  T factor;
  const T* x;
  T* y;

  KOKKOS_FUNCTION void operator()(index_t i) const { y[i] = factor * x[i]; }
};

/// y <- factor x, which is to be 2 x.
template <class Exec, class T, int Factor>
struct scaling : placed<Exec, T> {
  using placed<Exec, T>::e;
  static constexpr roof bound = roof::copy;
  static constexpr form written = "m";
  operand<Exec, T> x = this->in(1, {e.m, 1}), result = this->out({e.m, 1});

  scaling(const extents& size, int sets) : placed<Exec, T>(size, sets) { ++hot; }
  ~scaling() { --hot; }
  scaling(const scaling&) = delete;
  scaling& operator=(const scaling&) = delete;

  static double elements(const extents& e) { return 2.0 * e.m; }
  void run(const Exec& exec, int set) const {
    Kokkos::parallel_for("test::scale", Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>(exec, 0, e.m),
                         scale<T>{T(Factor), x.data(set), result.data(set)});
  }
  T expected(index_t i, index_t) const { return 2 * input<T>(1, i); }
};
template <class Exec, class T>
using doubling = scaling<Exec, T, 2>;
template <class Exec, class T>
using tripling = scaling<Exec, T, 3>;

constexpr extents shapes[] = {{1000, 1, 1}, {100000, 1, 1}};

[[maybe_unused]] const bool rows = add_kernel(row<doubling, float>("test doubling", shapes, shapes)) &&
                                   add_kernel(row<tripling, float>("test wrong", shapes, shapes));

// ---------------------------------------------------------------------------------------------------------------------
// A row in the place of the suite's own. Where ABAX_TEST_PACE is set, each call of Abax' product lasts so many
// milliseconds: it sleeps for what the product leaves of them, so that ranks that share a core take the same time. On
// the rank ABAX_TEST_RANK a call of one size lasts longer by ABAX_TEST_SLOWER per cent, and a case of ABAX_TEST_THROWS
// terms throws when it is prepared.

class paced final : public workload {
 public:
  paced(std::unique_ptr<workload> inner, double milliseconds)
      : inner_(std::move(inner)), call_(std::chrono::duration<double, std::milli>(milliseconds)) {}

  const std::vector<const peer*>& peers() const override { return inner_->peers(); }
  void run(int v) override {
    const auto end = sample_clock::now() + std::chrono::duration_cast<sample_clock::duration>(call_);
    inner_->run(v);
    if (v != 0) return;
    inner_->fence();
    std::this_thread::sleep_until(end);
  }
  void fence() override { inner_->fence(); }
  verdict check(bool recomputed) override { return inner_->check(recomputed); }
  bool unchanged(std::uint64_t checksum) override { return inner_->unchanged(checksum); }
  bool repeats() const override { return inner_->repeats(); }
  void run_on(int set) override { inner_->run_on(set); }
  std::uint64_t checksum(int set) override { return inner_->checksum(set); }
  std::vector<std::uint64_t> piece_checksums(int set) override { return inner_->piece_checksums(set); }
  std::vector<std::uint64_t> piece_bits(int set, index_t number) override { return inner_->piece_bits(set, number); }
  std::optional<real_number> number_at(index_t at, std::uint64_t found) override {
    return inner_->number_at(at, found);
  }
  void begin_events() override { inner_->begin_events(); }
  void end_events() override { inner_->end_events(); }
  double seconds_between_events() override { return inner_->seconds_between_events(); }

 private:
  std::unique_ptr<workload> inner_;
  std::chrono::duration<double> call_;
};

kernel own_product;

std::unique_ptr<workload> prepare_product(backend where, const extents& e, int sets, std::span<const peer> peers) {
  std::unique_ptr<workload> own = own_product.prepare(where, e, sets, peers);
  const auto number = [](const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
  };
  const bool hindered = ranks::self().rank == number("ABAX_TEST_RANK");
  if (hindered && e.k == number("ABAX_TEST_THROWS")) throw std::runtime_error("it throws here");
  double milliseconds = number("ABAX_TEST_PACE");
  if (milliseconds == 0) return own;
  if (hindered && e.m == 512) milliseconds *= 1 + 0.01 * number("ABAX_TEST_SLOWER");
  return std::make_unique<paced>(std::move(own), milliseconds);
}

[[maybe_unused]] const bool replaced = [] {
  for (const kernel& k : kernels())
    if (k.name == std::string("gemm NN") && k.type == std::string("f32")) own_product = k;
  kernel changed = own_product;
  changed.prepare = prepare_product;
  return add_kernel(changed);
}();

// ---------------------------------------------------------------------------------------------------------------------
// A fault of the machine: on the rank ABAX_TEST_RANK one bit of the product's result is turned over after the call
// ABAX_TEST_FLIP, counted from 1 on, or after each ("always").

template <class T>
struct flip_bit {
  T* x;

  KOKKOS_FUNCTION void operator()(index_t) const { *x = Kokkos::bit_cast<T>(Kokkos::bit_cast<bits_t<T>>(*x) ^ 8); }
};

template <class Exec, class T>
struct faulty : gemm_tn<Exec, T> {
  using base = gemm_tn<Exec, T>;
  using base::base, base::e, base::result;

  void run(const Exec& exec, int set) const {
    base::run(exec, set);
    static std::atomic<int> calls{0};
    const char *const when = std::getenv("ABAX_TEST_FLIP"), *const rank = std::getenv("ABAX_TEST_RANK");
    if (when == nullptr || ranks::self().rank != (rank == nullptr ? 0 : std::atoi(rank))) return;
    if (++calls != std::atoi(when) && when != std::string("always")) return;
    const index_t line = result.lie().count / 2, place = result.lie().length / 3;
    Kokkos::parallel_for("test::flip", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         flip_bit<T>{result.data(set) + line * result.leading() + place});
  }
};

constexpr extents product_shapes[] = {{100, 100, 100}};
[[maybe_unused]] const bool faults = add_kernel(row<faulty, float>("gemm TN", product_shapes, product_shapes));

// ---------------------------------------------------------------------------------------------------------------------

class test_sensor final : public sensor {
 public:
  reading read() override {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    reading now{sample_clock::now(), {1234, unknown, 56.5, 78}, {}};
    if (hot > 0) now.throttled_by = {"power cap"};
    return now;
  }
  std::chrono::milliseconds period() const override { return std::chrono::milliseconds(10); }
};

[[maybe_unused]] const bool sensed = [] {
  sensor_of = [](backend) -> std::unique_ptr<sensor> { return std::make_unique<test_sensor>(); };
  return true;
}();

}  // namespace
