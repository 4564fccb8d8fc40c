// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Execution spaces, arrays and checks, as all experiments use them.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../suite/check.hpp"
#include "../suite/session.hpp"
#include "bench.hpp"
#include "handwritten/lab.hpp"

namespace abax::lab {

using host = Kokkos::DefaultHostExecutionSpace;
using device = Kokkos::DefaultExecutionSpace;  // the host's again in a build without a GPU
inline constexpr bool has_gpu = !std::is_same_v<host, device>;

template <class Space>
inline constexpr backend backend_of = std::is_same_v<Space, host> ? backend::host : backend::device;

/// Calls each(Space()) for the backends that were asked for.
template <class Each>
void for_each_space(const settings& how, const Each& each) {
  if (how.wants(backend::host)) each(host());
  if constexpr (has_gpu)
    if (how.wants(backend::device)) each(device());
}

/// That of the hand-written kernels, which are called on a GPU alone.
template <class Space>
cudaStream_t stream() {
  if constexpr (requires(const Space& space) { space.cuda_stream(); })
    return Space().cuda_stream();
  else
    return nullptr;
}

/// A league of teams of `threads` threads, with `bytes` of scratch: on the host a team is one thread, which does the
/// work of all of them.
template <class Space, class Bounds = Kokkos::LaunchBounds<>>
auto teams(index_t league, int threads, std::size_t bytes = 0) {
  Kokkos::TeamPolicy<Space, Bounds> policy(static_cast<int>(league), backend_of<Space> == backend::host ? 1 : threads);
  return policy.set_scratch_size(0, Kokkos::PerTeam(bytes > 0 ? bytes + 16 : 0));  // 16: for its alignment
}

/// A team's scratch, as Kernel::bytes says.
template <class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION T* scratch_of(const Team& team, std::size_t bytes) {
  return static_cast<T*>(team.team_shmem().get_shmem_aligned(bytes, 16));
}

template <class Space, class T = float>
using array = Kokkos::View<T*, typename Space::memory_space>;
template <class Space, class T>
using matrix = Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
using pinned_array = Kokkos::View<float*, Kokkos::SharedHostPinnedSpace>;

template <class View>
View uninitialised(index_t n) {
  return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "abax-lab"), static_cast<std::size_t>(n));
}

// What elements are, by their number: to fill arrays with and to check them against. Functors with names, because nvcc
// takes no lambda in their place.

/// Of an operand that every machine knows without reading it.
struct input_of {
  int operand;
  float more = 0;

  KOKKOS_FUNCTION float operator()(index_t i) const { return perf::input<float>(operand, i) + more; }
};
/// What no kernel stores.
template <class T>
struct poison_of {
  KOKKOS_FUNCTION T operator()(index_t) const { return perf::poison<T>(); }
};
/// Numbers that no hardware can guess.
struct random_of {
  KOKKOS_FUNCTION std::uint64_t operator()(index_t i) const { return perf::mix(static_cast<std::uint64_t>(i)); }
};

template <class T, class Value>
struct fill_with {
  T* x;
  Value value;

  KOKKOS_FUNCTION void operator()(index_t i) const { x[i] = static_cast<T>(value(i)); }
};
/// x[i] <- value(i)
template <class Space, class T, class Value>
void fill(T* x, index_t n, const Value& value) {
  Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>> all(0, n);
  Kokkos::parallel_for("abax-lab::fill", all, fill_with<T, Value>{x, value});
  Space().fence();
}
template <class View>
void poison(const View& x) {
  using T = typename View::value_type;
  fill<typename View::execution_space>(x.data(), static_cast<index_t>(x.size()), poison_of<T>{});
}
template <class Space, class T = float>
array<Space, T> poisoned(index_t n) {
  const auto x = uninitialised<array<Space, T>>(n);
  poison(x);
  return x;
}
template <class Space>
array<Space> inputs(int operand, index_t n) {
  const auto x = uninitialised<array<Space>>(n);
  fill<Space>(x.data(), n, input_of{operand});
  return x;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION perf::bits_t<T> bits_of(T value) {
  return Kokkos::bit_cast<perf::bits_t<T>>(value);
}

template <class T, class Want>
struct count_wrong {
  const T* x;
  Want want;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& wrong) const {
    wrong += bits_of(x[i]) != bits_of(static_cast<T>(want(i)));
  }
};
/// Every x[i] must have the bits of want(i).
template <class Space, class T, class Want>
std::string require(const T* x, index_t n, const Want& want) {
  index_t wrong = 0;
  Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>> all(0, n);
  Kokkos::parallel_reduce("abax-lab::check", all, count_wrong<T, Want>{x, want}, wrong);
  if (wrong > 0) throw wrong_output(std::to_string(wrong) + " of " + std::to_string(n) + " elements are wrong");
  return "bits of every element";
}

template <class T>
struct add_up {
  const T* x;

  KOKKOS_FUNCTION void operator()(index_t i, T& sum) const { sum += x[i]; }
};
template <class Space, class T>
T sum_of(const T* x, index_t n) {
  T sum = 0;
  Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>> all(0, n);
  Kokkos::parallel_reduce("abax-lab::sum", all, add_up<T>{x}, sum);
  return sum;
}

template <class View>
void copy_to(const View& to, const std::vector<typename View::value_type>& from) {
  using T = const typename View::value_type;
  Kokkos::deep_copy(to, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
}

/// How a product's terms are added. Up to 2048 of them one chain is the canon; beyond, the classic kernels go on with
/// it, and Abax joins blocks.
enum class order { chain, canon };
template <class A, class B>
float dot(order how, index_t k, const A& a, const B& b) {
  if (how == order::canon) return perf::canonical_dot<float>(k, a, b);
  float sum = 0;
  for (index_t p = 0; p < k; ++p) sum = std::fma(a(p), b(p), sum);
  return sum;
}

/// A copy for the host to look at.
template <class View>
std::vector<typename View::non_const_value_type> values_of(const View& view) {
  using T = typename View::non_const_value_type;
  std::vector<T> values(view.size());
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()), view);
  return values;
}

/// How much of its work a launch does, in rounds or teams: the one that is counted, and those that are timed.
struct amounts {
  int counted, timed;
};

/// Adds a kernel and, on a GPU, its hand-written twin. portable(amount) and twin(amount, stream) do so much of it;
/// after either amount x must have the bits of want(amount).
template <class Space, class View, class Want, class Portable, class Twin>
void add_both(bench& all, rung r, const View& x, const amounts& how_much, const Want& want, const Portable& portable,
              const Twin& twin) {
  const auto add = [&](const char* variant, const std::function<void(int)>& run) {
    const auto check = [&](int amount) {
      return require<Space>(x.data(), static_cast<index_t>(x.size()), want(amount));
    };
    poison(x);
    r.variant = variant;
    r.launch = [=] { run(how_much.counted); };
    r.timed = [=] { run(how_much.timed); };
    r.check = [&] {
      check(how_much.counted);
      poison(x);
      r.timed();
      Space().fence();
      return check(how_much.timed);
    };
    all.add(r);
  };
  add("portable", portable);
  if constexpr (backend_of<Space> == backend::device)
    add("handwritten", [=](int amount) { twin(amount, stream<Space>()); });
}

}  // namespace abax::lab
