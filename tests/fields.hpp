// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Memory of a space in which Views of users lie, what each of its elements must hold, and what users' kernels write.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "bits.hpp"

namespace abax::tests {

/// Memory and its image on the host. What neither a test's View nor its image has written holds the guard's value.
template <class T, class Exec>
class field {
 public:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

  explicit field(index_t count)
      : storage_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "field"), count), image_(count, guard_value<T>()) {
    upload();
  }
  T* data() const { return storage_.data(); }
  index_t size() const { return static_cast<index_t>(image_.size()); }

  /// What element e must hold.
  T& operator[](index_t e) { return image_.at(e); }
  const T& operator[](index_t e) const { return image_.at(e); }

  /// The memory <- the image.
  void upload() const {
    Kokkos::deep_copy(storage_, Kokkos::View<const T*, Kokkos::HostSpace, unmanaged>(image_.data(), image_.size()));
  }
  /// Empty if every element holds what it must. Waits for all kernels.
  std::string change() const {
    Kokkos::fence();
    std::vector<T> now(image_.size());
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, unmanaged>(now.data(), now.size()), storage_);
    return difference(now.data(), image_.data(), size(), [](index_t e) { return "element " + std::to_string(e); });
  }

 private:
  Kokkos::View<T*, memory> storage_;
  std::vector<T> image_;
};

/// A number that no other element of a small View has.
template <class T>
KOKKOS_FUNCTION T number(index_t e) {
  return static_cast<T>(e + 1) / 4;
}

/// The e-th element of a View, its last index counted fastest, whatever the layout.
template <class View>
KOKKOS_FUNCTION typename View::reference_type element(const View& view, index_t e) {
  constexpr int rank = View::rank();
  if constexpr (rank == 0) {
    return view();
  } else if constexpr (rank == 1) {
    return view(e);
  } else {
    const index_t d = e % view.extent(rank - 1), rest = e / view.extent(rank - 1);
    if constexpr (rank == 2) {
      return view(rest, d);
    } else {
      const index_t c = rest % view.extent(rank - 2), others = rest / view.extent(rank - 2);
      if constexpr (rank == 3) {
        return view(others, c, d);
      } else {
        static_assert(rank == 4);
        return view(others / view.extent(1), others % view.extent(1), c, d);
      }
    }
  }
}

/// Each element of the View <- first + its number, by a lambda that captures the View.
template <class Exec, class View>
void write_numbers(const Exec& exec, const View& view, index_t first) {
  using T = typename View::non_const_value_type;
  Kokkos::parallel_for(
      "write_numbers", Kokkos::RangePolicy<Exec>(exec, 0, view.size()),
      KOKKOS_LAMBDA(index_t e) { element(view, e) = number<T>(first + e); });
}

}  // namespace abax::tests
