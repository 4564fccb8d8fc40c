// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Lines of bytes as engines of gemm_integer multiply them.
#include <Kokkos_Core.hpp>
#include <abax/templates.hpp>

#include "inputs.hpp"

namespace abax::tests {

/// Planes of random bytes, from 0 on and less than `values`, where Exec reads them, and one bit of them that changes.
template <class Exec>
struct random_planes {
  Kokkos::View<std::uint8_t*, typename Exec::memory_space> bytes;
  abax::tile::byte_planes<const std::uint8_t> planes;

  random_planes(abax::tile::plane_order order, index_t lines, index_t terms, int count, std::uint64_t seed,
                int values = 120)
      : planes{nullptr, lines, abax::tile::plane_stride(order, terms), count, order} {
    bytes = decltype(bytes)("planes", static_cast<std::size_t>(count * planes.room * planes.stride));
    planes.data = bytes.data();
    const auto host = Kokkos::create_mirror_view(bytes);
    random_bits random(seed);
    for (std::size_t e = 0; e < host.size(); ++e) host(e) = static_cast<std::uint8_t>(random.below(values));
    Kokkos::deep_copy(bytes, host);
  }
  void flip(int t, index_t line, index_t term, int bit) const {
    const auto host = Kokkos::create_mirror_view(bytes);
    Kokkos::deep_copy(host, bytes);
    host(static_cast<std::size_t>(planes.chunk(t, line, term / 16 * 16) - planes.data + term % 16)) ^=
        static_cast<std::uint8_t>(1 << bit);
    Kokkos::deep_copy(bytes, host);
  }
};

}  // namespace abax::tests
