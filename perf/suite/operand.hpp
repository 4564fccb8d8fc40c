// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands of the kernels that are measured.
#include <Kokkos_Core.hpp>
#include <string>

#include "check.hpp"

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
  Kokkos::View<T*, memory, unmanaged> vector(int set) const {
    return Kokkos::View<T*, memory, unmanaged>(data(set), static_cast<std::size_t>(size_));
  }
  Kokkos::View<T, memory, unmanaged> scalar(int set) const { return Kokkos::View<T, memory, unmanaged>(data(set)); }
  /// Column-major, as in BLAS.
  Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged> matrix(int set, index_t rows, index_t cols) const {
    using view = Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged>;
    return view(data(set), static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  }

 private:
  static Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>> elements(index_t begin, index_t end) {
    return {begin, end};
  }

  index_t size_;
  Kokkos::View<T*, memory> all_;
};

}  // namespace abax::perf
