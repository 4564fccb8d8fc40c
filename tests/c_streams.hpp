// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Streams of abax.h, and operands in their memory.
#include <abax/abax.h>

#include <Kokkos_Core.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "inputs.hpp"
#include "spaces.hpp"

namespace abax::tests {

struct closing {
  void operator()(abax_stream* stream) const { abax_close(stream); }
};
using stream_handle = std::unique_ptr<abax_stream, closing>;

inline stream_handle open(abax_place place, unsigned options = 0) {
  abax_stream* stream = nullptr;
  if (abax_open(place, nullptr, options, &stream) != ABAX_SUCCESS || stream == nullptr)
    throw std::runtime_error("no stream");
  return stream_handle(stream);
}

/// visit(exec, place): where both interfaces can work.
template <class Visit>
void for_each_place(const Visit& visit) {
  visit(Kokkos::DefaultHostExecutionSpace(), ABAX_HOST);
  if constexpr (!std::is_same_v<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>)
    visit(Kokkos::DefaultExecutionSpace(), ABAX_DEVICE);
}

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;
template <class T>
using real_of = decltype(Kokkos::abs(T()));

template <class T, class Exec>
using memory_of = Kokkos::View<T*, typename Exec::memory_space>;

/// Random numbers, or pairs of them as complex ones.
template <class T, class Exec>
memory_of<T, Exec> random_operand(index_t size, std::uint64_t seed) {
  using Real = real_of<T>;
  const matrix<Real> values = random_matrix<Real>(size * index_t(sizeof(T) / sizeof(Real)), 1, numbers::special, seed);
  memory_of<T, Exec> memory("operand", size);
  Kokkos::deep_copy(
      memory, Kokkos::View<const T*, Kokkos::HostSpace>(reinterpret_cast<const T*>(values.elements.data()), size));
  return memory;
}
template <class Got, class Want>
std::string difference_between(const Got& got, const Want& want) {
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
  return difference(a.data(), b.data(), static_cast<index_t>(a.size()), [](index_t i) { return std::to_string(i); });
}

}  // namespace abax::tests
