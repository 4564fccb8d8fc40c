// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands of the kernels that are measured.
#include <Kokkos_Core.hpp>
#include <string>

#include "check.hpp"
#include "kernels.hpp"

namespace abax::perf {

/// One operand: `sets` copies of it, one after another. Filled where it is used, so that pages lie near the threads.
template <class Exec, class T>
class operand {
 public:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;

  operand(index_t size, int sets)
      : size_(size), all_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "operand"), size * sets) {}

  static operand input(int number, index_t size, int sets) {
    operand x(size, sets);
    Kokkos::parallel_for("abax-perf::fill", range(0, size), fill_inputs<T>{number, size, x.data(0)});
    for (int set = 1; set < sets; ++set)
      Kokkos::parallel_for("abax-perf::repeat", range(0, size), repeat<T>{x.data(0), x.data(set)});
    return x;
  }
  static operand output(index_t size, int sets) {
    operand x(size, sets);
    Kokkos::parallel_for("abax-perf::poison", range(0, size * sets), fill_poison<T>{x.data(0)});
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
  index_t size_;
  Kokkos::View<T*, memory> all_;
};

/// What kernels have in common, and what most of them are: a kernel names its operands, `result` among them, runs Abax
/// and a peer on one set, and knows each element of the result.
template <class Exec, class T>
struct placed {
  static constexpr bool in_place = false;
  extents e;
  int sets;

  placed(const extents& e, int sets) : e(e), sets(sets) {}
  operand<Exec, T> in(int number, index_t size) const { return operand<Exec, T>::input(number, size, sets); }
  operand<Exec, T> out(index_t size) const { return operand<Exec, T>::output(size, sets); }

  /// Queues the peer's routine; false where it has none.
  bool ask(const routines<T>& /*peer*/, int /*set*/, T* /*result*/) const { return false; }
  static double flops(const extents& /*e*/) { return 0; }
};

}  // namespace abax::perf
