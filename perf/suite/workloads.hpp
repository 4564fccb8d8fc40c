// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The kernels that are measured: operands, Abax' call and a peer's, and what the canon says of one element of the
/// result.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/backend_for.hpp"
#include "check.hpp"
#include "events.hpp"
#include "kernels.hpp"

namespace abax::perf {

/// One operand: `sets` copies of it, one after another. Filled where it is used, so that pages lie near the threads.
template <class Exec, class T>
class operand {
 public:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

  operand(const std::string& name, index_t size, int sets)
      : size_(size), all_(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), size * sets) {}

  static operand input(const std::string& name, int number, index_t size, int sets) {
    operand x(name, size, sets);
    Kokkos::parallel_for("abax-perf::fill", x.elements(0, size), fill_inputs<T>{number, size, x.data(0)});
    for (int set = 1; set < sets; ++set)
      Kokkos::parallel_for("abax-perf::repeat", x.elements(0, size), repeat<T>{x.data(0), x.data(set)});
    return x;
  }
  static operand output(const std::string& name, index_t size, int sets) {
    operand x(name, size, sets);
    Kokkos::parallel_for("abax-perf::poison", x.elements(0, size * sets), fill_poison<T>{x.all_.data()});
    return x;
  }

  index_t size() const { return size_; }
  T* data(int set) const { return all_.data() + set * size_; }
  Kokkos::View<T*, memory, unmanaged> vector(int set) const { return {data(set), static_cast<std::size_t>(size_)}; }
  Kokkos::View<T, memory, unmanaged> scalar(int set) const { return Kokkos::View<T, memory, unmanaged>(data(set)); }
  /// Column-major, as in BLAS.
  Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged> matrix(int set, index_t rows, index_t cols) const {
    return {data(set), static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)};
  }

 private:
  static Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>> elements(index_t begin, index_t end) {
    return {begin, end};
  }

  index_t size_;
  Kokkos::View<T*, memory> all_;
};

template <class Exec, class T, char Trans>
struct gemv_kernel {
  static constexpr bool in_place = false;
  static constexpr bool transposed = Trans == 'T';
  extents e;
  index_t rows, cols;  // of A as stored
  operand<Exec, T> A, x, result;

  gemv_kernel(const extents& e, int sets)
      : e(e),
        rows(transposed ? e.k : e.m),
        cols(transposed ? e.m : e.k),
        A(operand<Exec, T>::input("A", 1, e.m * e.k, sets)),
        x(operand<Exec, T>::input("x", 2, e.k, sets)),
        result(operand<Exec, T>::output("y", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::gemv(exec, transposed ? "T" : "N", T(1), A.matrix(set, rows, cols), x.vector(set), T(0), result.vector(set));
  }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.gemv(Trans, rows, cols, A.data(set), rows, x.data(set), out);
  }
  T expected(index_t i, index_t) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, transposed ? p + i * e.k : i + p * e.m); },
        [](index_t p) { return input<T>(2, p); });
  }
};
template <class Exec, class T>
using gemv_n = gemv_kernel<Exec, T, 'N'>;
template <class Exec, class T>
using gemv_t = gemv_kernel<Exec, T, 'T'>;

template <class Exec, class T, char TransA, char TransB>
struct gemm_kernel {
  static constexpr bool in_place = false;
  static constexpr char trans_a[] = {TransA, 0}, trans_b[] = {TransB, 0};
  extents e;
  index_t rows_a, cols_a, rows_b, cols_b;  // as stored
  operand<Exec, T> A, B, result;

  gemm_kernel(const extents& e, int sets)
      : e(e),
        rows_a(TransA == 'N' ? e.m : e.k),
        cols_a(TransA == 'N' ? e.k : e.m),
        rows_b(TransB == 'N' ? e.k : e.n),
        cols_b(TransB == 'N' ? e.n : e.k),
        A(operand<Exec, T>::input("A", 1, e.m * e.k, sets)),
        B(operand<Exec, T>::input("B", 2, e.k * e.n, sets)),
        result(operand<Exec, T>::output("C", e.m * e.n, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::gemm(exec, trans_a, trans_b, T(1), A.matrix(set, rows_a, cols_a), B.matrix(set, rows_b, cols_b), T(0),
               result.matrix(set, e.m, e.n));
  }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.gemm(TransA, TransB, e.m, e.n, e.k, A.data(set), rows_a, B.data(set), rows_b, out, e.m);
  }
  T expected(index_t i, index_t j) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, TransA == 'N' ? i + p * e.m : p + i * e.k); },
        [&](index_t p) { return input<T>(2, TransB == 'N' ? p + j * e.k : j + p * e.n); });
  }
};
template <class Exec, class T>
using gemm_nn = gemm_kernel<Exec, T, 'N', 'N'>;
template <class Exec, class T>
using gemm_nt = gemm_kernel<Exec, T, 'N', 'T'>;
template <class Exec, class T>
using gemm_tn = gemm_kernel<Exec, T, 'T', 'N'>;
template <class Exec, class T>
using gemm_tt = gemm_kernel<Exec, T, 'T', 'T'>;

template <class Exec, class T>
struct dot_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> x, y, result;

  dot_kernel(const extents& e, int sets)
      : e(e),
        x(operand<Exec, T>::input("x", 1, e.k, sets)),
        y(operand<Exec, T>::input("y", 2, e.k, sets)),
        result(operand<Exec, T>::output("result", 1, sets)) {}

  void run(const Exec& exec, int set) const { abax::dot(exec, x.vector(set), y.vector(set), result.scalar(set)); }
  bool run(const routines<T>& peer, int set, T* out) const { return peer.dot(e.k, x.data(set), y.data(set), out); }
  T expected(index_t, index_t) const {
    return canonical_dot<T>(
        e.k, [](index_t p) { return input<T>(1, p); }, [](index_t p) { return input<T>(2, p); });
  }
};

template <class Exec, class T>
struct transpose_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> A, result;

  transpose_kernel(const extents& e, int sets)
      : e(e),
        A(operand<Exec, T>::input("A", 1, e.m * e.n, sets)),
        result(operand<Exec, T>::output("B", e.m * e.n, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::transpose(exec, A.matrix(set, e.n, e.m), result.matrix(set, e.m, e.n));
  }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.transpose(e.n, e.m, A.data(set), e.n, out, e.m);
  }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.n); }
};

/// Peers have nothing like it: theirs is beside it what goes from one matrix to another.
template <class Exec, class T>
struct transpose_in_place_kernel {
  static constexpr bool in_place = true;
  extents e;
  operand<Exec, T> result;

  transpose_in_place_kernel(const extents& e, int sets)
      : e(e), result(operand<Exec, T>::input("A", 1, e.m * e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::transpose(exec, result.matrix(set, e.m, e.m)); }
  bool run(const routines<T>& peer, int set, T* out) const {
    return peer.transpose(e.m, e.m, result.data(set), e.m, out, e.m);
  }
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.m); }
};

template <class Exec, class T>
struct copy_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> x, result;

  copy_kernel(const extents& e, int sets)
      : e(e), x(operand<Exec, T>::input("x", 1, e.m, sets)), result(operand<Exec, T>::output("y", e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::copy(exec, x.vector(set), result.vector(set)); }
  bool run(const routines<T>& peer, int set, T* out) const { return peer.copy(e.m, x.data(set), out); }
  T expected(index_t i, index_t) const { return input<T>(1, i); }
};

template <class Exec, class T>
struct triad_kernel {
  static constexpr bool in_place = false;
  static constexpr T alpha = 3;
  extents e;
  operand<Exec, T> x, y, result;

  triad_kernel(const extents& e, int sets)
      : e(e),
        x(operand<Exec, T>::input("x", 1, e.m, sets)),
        y(operand<Exec, T>::input("y", 2, e.m, sets)),
        result(operand<Exec, T>::output("z", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::triad(exec, alpha, x.vector(set), y.vector(set), result.vector(set));
  }
  bool run(const routines<T>&, int, T*) const { return false; }
  T expected(index_t i, index_t) const { return std::fma(alpha, input<T>(1, i), input<T>(2, i)); }
};

template <class Exec, class T>
struct increment_kernel {
  static constexpr bool in_place = true;
  extents e;
  operand<Exec, T> result;

  increment_kernel(const extents& e, int sets) : e(e), result(operand<Exec, T>::input("x", 1, e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::increment(exec, T(1), result.vector(set)); }
  bool run(const routines<T>&, int, T*) const { return false; }
  T expected(index_t i, index_t) const { return input<T>(1, i) + T(1); }
};

/// A team writes its number: a launch, and next to nothing else. With more scratch than a policy gives, the backend's own
/// launch is taken where it has one.
template <class T>
struct number_teams {
  T* x;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.team_rank() == 0) x[team.league_rank()] = static_cast<T>(team.league_rank());
  }
};
template <class Exec, class T, bool Own>
struct launch_kernel {
  static constexpr bool in_place = false;
  struct primitives {
    static constexpr int team_size = 128, residents = 1;
    static constexpr std::size_t most_scratch = Own ? 64 << 10 : 0;
  };
  extents e;
  operand<Exec, T> result;

  launch_kernel(const extents& e, int sets) : e(e), result(operand<Exec, T>::output("x", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    backends::backend_for_t<Exec>::template launch<primitives>("abax-perf::launch", exec, static_cast<int>(e.m), 0,
                                                               number_teams<T>{result.data(set)});
  }
  bool run(const routines<T>& peer, int, T* out) const { return peer.launch(e.m, out); }
  T expected(index_t i, index_t) const { return static_cast<T>(i); }
};
template <class Exec, class T>
using launch_by_policy = launch_kernel<Exec, T, false>;
template <class Exec, class T>
using launch_of_own = launch_kernel<Exec, T, true>;

/// One sample of a result recomputed, on any thread.
template <class Kernel, class T>
struct recompute {
  const Kernel* kernel;
  const place* at;
  T* expected;

  void operator()(index_t s) const { expected[s] = kernel->expected(at[s].i, at[s].j); }
};

/// What is the same for all of them.
template <class Exec, class T, class Kernel>
class prepared final : public workload {
 public:
  prepared(const extents& e, int sets, std::span<const peer> peers)
      : kernel_(e, sets),
        sets_(sets),
        theirs_(operand<Exec, T>::output("peers' result", peers.empty() ? 0 : kernel_.result.size(), sets)) {
    exec_.fence();
    for (const peer& p : peers)
      if (kernel_.run(p.of<T>(), 0, theirs_.data(0))) {
        exec_.fence();
        if (p.same_result) require_agreement(p);
        peers_.push_back(&p);
      }
    next_.assign(1 + peers_.size(), 0);
  }

  const std::vector<const peer*>& peers() const override { return peers_; }
  void run(int v) override {
    const int set = next_[v];
    if (v == 0)
      kernel_.run(exec_, set);
    else
      kernel_.run(peers_[v - 1]->of<T>(), set, theirs_.data(set));
    next_[v] = (set + 1) % sets_;
    if (v == 0) used_ = std::max(used_, set + 1);
  }
  void fence() override { exec_.fence(); }

  verdict check(bool recomputed) override {
    kernel_.run(exec_, 0);
    verdict v{0, 0, 0, checksum(0)};
    Kokkos::parallel_reduce("abax-perf::unwritten", whole(), count_poison<T>{kernel_.result.data(0)}, v.unwritten);
    if (!recomputed) return v;
    const auto places = samples();
    const std::vector<T> computed = values(kernel_.result.data(0), places);
    std::vector<T> expected(places.size());
    using host = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for(
        "abax-perf::expected",
        Kokkos::RangePolicy<host, Kokkos::Schedule<Kokkos::Dynamic>>(0, places.size()).set_chunk_size(1),
        recompute<Kernel, T>{&kernel_, places.data(), expected.data()});
    host().fence();
    for (std::size_t s = 0; s < places.size(); ++s) v.wrong += std::memcmp(&expected[s], &computed[s], sizeof(T)) != 0;
    v.samples = static_cast<int>(places.size());
    return v;
  }

  bool unchanged(std::uint64_t before) override {
    if constexpr (!Kernel::in_place)
      for (int set = 0; set < used_; ++set)
        if (checksum(set) != before) return false;
    return true;
  }

  void begin_events() override { events_.begin(exec_); }
  void end_events() override { events_.end(exec_); }
  double seconds_between_events() override { return events_.seconds(); }

 private:
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;
  range whole() const { return range(exec_, 0, kernel_.result.size()); }

  /// As many as a second or so recomputes on the host.
  std::vector<place> samples() const {
    const index_t affordable = 50'000'000 / std::max<index_t>(1, kernel_.e.k);
    return sample(kernel_.e.m, kernel_.e.n, static_cast<int>(std::clamp<index_t>(affordable, 12, 508)));
  }

  /// Random operands below 1 in magnitude: k terms differ by less than k units of rounding, whatever their order.
  void require_agreement(const peer& p) const {
    const double bound = static_cast<double>(kernel_.e.k) * std::numeric_limits<T>::epsilon();
    const auto places = sample(kernel_.e.m, kernel_.e.n, 4);
    const std::vector<T> computed = values(theirs_.data(0), places);
    for (std::size_t s = 0; s < places.size(); ++s) {
      const double away = std::abs(double(computed[s]) - double(kernel_.expected(places[s].i, places[s].j)));
      if (!(away <= bound))
        throw std::runtime_error(p.name + " computes something else: it is off by " + std::to_string(away));
    }
  }

  std::uint64_t checksum(int set) const {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("abax-perf::checksum", whole(), sum_of_bits<T>{kernel_.result.data(set)}, sum);
    return sum;
  }

  std::vector<T> values(const T* result, const std::vector<place>& places) const {
    using memory = typename Exec::memory_space;
    Kokkos::View<index_t*, memory> at("places", places.size());
    Kokkos::View<T*, memory> found("values", places.size());
    const auto host_at = Kokkos::create_mirror_view(at);
    for (std::size_t s = 0; s < places.size(); ++s) host_at(s) = places[s].i + places[s].j * kernel_.e.m;
    Kokkos::deep_copy(exec_, at, host_at);
    Kokkos::parallel_for("abax-perf::gather", range(exec_, 0, static_cast<index_t>(places.size())),
                         gather<T>{result, at.data(), found.data()});
    const auto host_found = Kokkos::create_mirror_view(found);
    Kokkos::deep_copy(exec_, host_found, found);
    exec_.fence();
    return {host_found.data(), host_found.data() + places.size()};
  }

  Exec exec_;
  Kernel kernel_;
  int sets_, used_ = 1;  // sets that hold a result of Abax: the first `used_`
  operand<Exec, T> theirs_;
  std::vector<const peer*> peers_;
  std::vector<int> next_;  // each variant's next set
  events<Exec> events_;
};

// ---------------------------------------------------------------------------------------------------------------------
// A row of the table.

template <template <class, class> class Kernel, class T>
std::unique_ptr<workload> prepare(backend where, const extents& e, int sets, std::span<const peer> peers) {
  using host = Kokkos::DefaultHostExecutionSpace;
  using device = Kokkos::DefaultExecutionSpace;  // the host's again where there is no GPU
  if (where == backend::host) return std::make_unique<prepared<host, T, Kernel<host, T>>>(e, sets, peers);
  return std::make_unique<prepared<device, T, Kernel<device, T>>>(e, sets, peers);
}

template <template <class, class> class Kernel, class T>
constexpr kernel row(const char* name, roof bound, double (*elements)(const extents&), double (*flops)(const extents&),
                     const form* written, std::span<const extents> host, std::span<const extents> device) {
  return {name,      sizeof(T) == 4 ? "f32" : "f64",
          sizeof(T), bound,
          elements,  flops,
          written,   host,
          device,    prepare<Kernel, T>};
}

}  // namespace abax::perf
