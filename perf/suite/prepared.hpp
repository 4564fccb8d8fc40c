// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A kernel with its operands in place, and a row of the table: what is the same for all of them.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "check.hpp"
#include "element.hpp"
#include "events.hpp"
#include "operand.hpp"

namespace abax::perf {

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
      : kernel_(e, sets), sets_(sets), theirs_(kernel_.updated(3, peers.empty() ? lines{1, 1} : kernel_.result.lie())) {
    exec_.fence();
    for (const peer& p : peers)
      if (kernel_.ask(p.of<T>(), 0, theirs_)) {
        exec_.fence();
        if (p.same_result) require_agreement(p);
        peers_.push_back(&p);
        if (updates_) theirs_ = kernel_.updated(3, kernel_.result.lie());  // for the next one
      }
    next_.assign(1 + peers_.size(), 0);
  }

  const std::vector<const peer*>& peers() const override { return peers_; }
  void run(int v) override {
    const int set = next_[v];
    if (v == 0)
      kernel_.run(exec_, set);
    else
      kernel_.ask(peers_[v - 1]->of<T>(), set, theirs_);
    next_[v] = (set + 1) % sets_;
    if (v == 0) used_ = std::max(used_, set + 1);
  }
  void fence() override { exec_.fence(); }

  verdict check(bool recomputed) override {
    kernel_.run(exec_, 0);
    verdict v{0, 0, 0, checksum(0)};
    Kokkos::parallel_reduce("abax-perf::strays", real_numbers(1),
                            count_strays<real>{kernel_.result.lie(), parts, parts_of(kernel_.result.set(0))},
                            v.unwritten);
    if (!recomputed) return v;
    const auto places = samples();
    const std::vector<T> computed = values(kernel_.result, places);
    std::vector<T> expected(places.size());
    using host = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for(
        "abax-perf::expected",
        Kokkos::RangePolicy<host, Kokkos::Schedule<Kokkos::Dynamic>>(0, places.size()).set_chunk_size(1),
        recompute<Kernel, T>{&kernel_, places.data(), expected.data()});
    host().fence();
    for (std::size_t s = 0; s < places.size(); ++s)
      if (std::memcmp(&expected[s], &computed[s], sizeof(T)) != 0 && v.wrong++ == 0) {
        const int part = bits(parts_of(&expected[s])[0]) == bits(parts_of(&computed[s])[0]) ? parts - 1 : 0;
        v.first_wrong = {places[s].i, places[s].j, part, bits(parts_of(&computed[s])[part]),
                         bits(parts_of(&expected[s])[part])};
      }
    v.samples = static_cast<int>(places.size());
    return v;
  }

  bool unchanged(std::uint64_t before) override {
    return updates_ || checksum_of(0, used_) == before * static_cast<std::uint64_t>(used_);
  }

  bool repeats() const override { return !updates_; }
  void run_on(int set) override { kernel_.run(exec_, set); }
  std::uint64_t checksum(int set) override { return checksum_of(set, 1); }
  std::vector<std::uint64_t> piece_checksums(int set) override {
    const index_t numbers = kernel_.result.size() * parts, count = (numbers + piece - 1) / piece;
    const Kokkos::View<std::uint64_t*, typename Exec::memory_space> sums("pieces", static_cast<std::size_t>(count));
    Kokkos::parallel_for("abax-perf::pieces", range(exec_, 0, count),
                         sum_pieces<real>{numbers, piece, parts_of(kernel_.result.set(set)), sums.data()});
    exec_.fence();
    const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    return {on_host.data(), on_host.data() + count};
  }
  std::vector<std::uint64_t> piece_bits(int set, index_t number) override {
    const index_t begin = number * piece, count = std::min(piece, kernel_.result.size() * parts - begin);
    using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    std::vector<real> found(static_cast<std::size_t>(count));
    Kokkos::deep_copy(exec_, Kokkos::View<real*, Kokkos::HostSpace, unmanaged>(found.data(), found.size()),
                      Kokkos::View<const real*, typename Exec::memory_space, unmanaged>(
                          parts_of(kernel_.result.set(set)) + begin, found.size()));
    exec_.fence();
    std::vector<std::uint64_t> all;
    for (const real x : found) all.push_back(bits(x));
    return all;
  }
  std::optional<real_number> number_at(index_t at, std::uint64_t found) override {
    const lines& lie = kernel_.result.lie();
    const index_t element = element_at(lie, at / parts);
    if (element < 0) return {};
    const index_t along = element % lie.length, line = element / lie.length;
    const bool by_rows = lie.count == 1 ? kernel_.e.m == 1 : kernel_.e.lies.by_rows;  // a vector's line is its rows
    const index_t i = by_rows ? line : along, j = by_rows ? along : line;
    const T expected = kernel_.expected(i, j);
    const int part = static_cast<int>(at % parts);
    return real_number{i, j, part, found, bits(parts_of(&expected)[part])};
  }

  std::vector<catalogue_row> rows() override {
    std::vector<catalogue_row> names;
    if constexpr (requires { kernel_.problem(0); })
      for (const auto& row : rows_of(exec_, kernel_.problem(0))) {
        names.push_back({row.name, row.chosen});
        rows_.push_back([this, run = row.run](int set) { run(exec_, kernel_.problem(set)); });
      }
    next_.resize(1 + peers_.size() + rows_.size());
    return names;
  }
  void run_row(int row) override {
    int& next = next_[1 + peers_.size() + row];
    rows_[row](next);
    used_ = std::max(used_, next + 1);
    next = (next + 1) % sets_;
  }

  void begin_events() override { events_.begin(exec_); }
  void end_events() override { events_.end(exec_); }
  double seconds_between_events() override { return events_.seconds(); }

 private:
  using real = tile::real_of<T>;
  static constexpr int parts = parts_in<T>;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;
  /// Of so many sets of results.
  range real_numbers(int sets) const { return range(exec_, 0, kernel_.result.size() * parts * sets); }

  /// As many as a second or so recomputes on the host.
  std::vector<place> samples() const {
    constexpr index_t terms = tile::is_complex<T> ? 6'000'000 : 50'000'000;
    const index_t affordable = terms / std::max<index_t>(1, kernel_.e.k);
    return results(sample(kernel_.e.m, kernel_.e.n, static_cast<int>(std::clamp<index_t>(affordable, 12, 508))));
  }
  /// Those of `places` that are the result's: a triangle is less than its matrix.
  std::vector<place> results(std::vector<place> places) const {
    const bool by_rows = kernel_.e.lies.by_rows;
    if (kernel_.result.lie().from_diagonal)
      std::erase_if(places, [&](const place& p) { return by_rows ? p.j < p.i : p.i < p.j; });
    return places;
  }

  /// Random operands below 1 in magnitude, scaled by no more than that: k terms differ by less than k units of
  /// rounding, whatever their order, or of their sum where that is large (of squares). Of complex ones each part has
  /// twice as many.
  void require_agreement(const peer& p) const {
    const bool updated = kernel_.e.lies.beta != 0;
    const double bound =
        static_cast<double>(parts * (kernel_.e.k + (updated ? 2 : 0))) * std::numeric_limits<real>::epsilon();
    const auto places = results(sample(kernel_.e.m, kernel_.e.n, 4));
    const std::vector<T> computed = values(theirs_, places);
    for (std::size_t s = 0; s < places.size(); ++s) {
      const T expected = kernel_.expected(places[s].i, places[s].j);
      for (int part = 0; part < parts; ++part) {
        const double wanted = parts_of(&expected)[part], away = std::abs(parts_of(&computed[s])[part] - wanted);
        if (!(away <= bound * std::max(1.0, std::abs(wanted))))
          throw std::runtime_error(p.name + " computes something else: it is off by " + std::to_string(away));
      }
    }
  }

  static std::uint64_t bits(real x) { return Kokkos::bit_cast<bits_t<real>>(x); }
  /// The sum over so many sets.
  std::uint64_t checksum_of(int first, int sets) const {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("abax-perf::checksum", real_numbers(sets),
                            sum_of_bits<real>{kernel_.result.size() * parts, parts_of(kernel_.result.set(first))}, sum);
    return sum;
  }

  std::vector<T> values(const operand<Exec, T>& result, const std::vector<place>& places) const {
    using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    std::vector<T> found(places.size());
    for (std::size_t s = 0; s < places.size(); ++s) {
      const auto [i, j] = places[s];
      const index_t leading = result.lie().count == 1 ? 1 : result.leading();  // one line, whatever it runs along
      const T* const at = result.data(0) + (kernel_.e.lies.by_rows ? j + i * leading : i + j * leading);
      Kokkos::deep_copy(exec_, Kokkos::View<T, Kokkos::HostSpace, unmanaged>(&found[s]),
                        Kokkos::View<const T, typename Exec::memory_space, unmanaged>(at));
    }
    exec_.fence();
    return found;
  }

  Exec exec_;
  Kernel kernel_;
  int sets_, used_ = 1;                                          // sets that hold a result of Abax: the first `used_`
  bool updates_ = Kernel::in_place || kernel_.e.lies.beta != 0;  // the next call finds another operand
  operand<Exec, T> theirs_;
  std::vector<const peer*> peers_;
  std::vector<int> next_;  // each variant's next set
  std::vector<std::function<void(int set)>> rows_;
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
kernel row(const char* name, std::span<const extents> host, std::span<const extents> device) {
  using any = Kernel<Kokkos::DefaultHostExecutionSpace, T>;
  return {.name = name,
          .type = type_name<T>,
          .element = sizeof(T),
          .part = sizeof(tile::real_of<T>),
          .bound = any::bound,
          .elements = any::elements,
          .flops = any::flops,
          .operands = any::operands,
          .scaled = any::scaled,
          .written = any::written,
          .host_shapes = host,
          .device_shapes = device,
          .prepare = prepare<Kernel, T>};
}

}  // namespace abax::perf
