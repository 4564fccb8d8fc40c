// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Operands of the kernels that are measured.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"

namespace abax::perf {

/// As the calls of Abax have numbers, and elements in memory.
template <class T>
struct viewed {
  using type = T;
};
template <class Real>
struct viewed<tile::complex<Real>> {
  using type = Kokkos::complex<Real>;
};
template <class T>
using viewed_t = typename viewed<T>::type;
template <class T>
viewed_t<T> viewed_number(const T& x) {
  if constexpr (tile::is_complex<T>)
    return {x.re, x.im};
  else
    return x;
}

/// One operand: `sets` copies of it, each at the same distance from a multiple of 256 bytes. Filled where it is used,
/// so that pages lie near the threads.
template <class Exec, class T>
class operand {
 public:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;

  operand(const lines& lie, int sets)
      : lie_(lie),
        size_((lie.size() + apart - 1) / apart * apart),
        all_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "operand"), size_ * sets) {}

  static operand input(int number, const lines& lie, int sets) {
    operand x(lie, sets);
    Kokkos::parallel_for("abax-perf::fill", range(0, x.size_), fill_inputs<T>{number, lie, x.set(0)});
    Kokkos::parallel_for("abax-perf::repeat", range(x.size_, x.size_ * sets), repeat<T>{x.size_, x.set(0)});
    return x;
  }
  static operand output(const lines& lie, int sets) {
    operand x(lie, sets);
    Kokkos::parallel_for("abax-perf::poison", range(0, x.size_ * sets), fill_poison<T>{x.set(0)});
    return x;
  }

  const lines& lie() const { return lie_; }
  index_t leading() const { return lie_.leading; }
  /// Elements of a set, with its gaps.
  index_t size() const { return size_; }
  T* set(int set) const { return all_.data() + set * size_; }
  T* data(int set) const { return this->set(set) + lie_.offset; }
  viewed_t<T>* elements(int set) const { return reinterpret_cast<viewed_t<T>*>(data(set)); }
  Kokkos::View<viewed_t<T>*, memory, unmanaged> vector(int set) const {
    return Kokkos::View<viewed_t<T>*, memory, unmanaged>(elements(set), static_cast<std::size_t>(lie_.length));
  }
  Kokkos::View<viewed_t<T>, memory, unmanaged> scalar(int set) const {
    return Kokkos::View<viewed_t<T>, memory, unmanaged>(elements(set));
  }
  /// Its lines are columns, or rows.
  auto matrix(int set, bool by_rows) const {
    const auto length = static_cast<std::size_t>(lie_.length), count = static_cast<std::size_t>(lie_.count);
    const auto leading = static_cast<std::size_t>(lie_.leading);
    return Kokkos::View<viewed_t<T>**, Kokkos::LayoutStride, memory, unmanaged>(
        elements(set),
        by_rows ? Kokkos::LayoutStride(count, leading, length, 1) : Kokkos::LayoutStride(length, 1, count, leading));
  }
  /// As Abax' kernels have it, with a line for each of its columns.
  template <class U = const T>
  tile::matrix<U> strided(int set) const {
    return {data(set), lie_.length, lie_.count, 1, lie_.leading};
  }

 private:
  static constexpr index_t apart = 256 / sizeof(T);
  lines lie_;
  index_t size_;
  Kokkos::View<T*, memory> all_;
};

/// What kernels have in common, and what most of them are: a kernel names its operands, `result` among them, runs Abax
/// and a peer on one set, and knows each element of the result.
template <class Exec, class T>
struct placed {
  static constexpr bool in_place = false, scaled = false;
  extents e;
  int sets;

  placed(const extents& e, int sets) : e(e), sets(sets) {}
  operand<Exec, T> in(int number, const lines& lie) const { return operand<Exec, T>::input(number, lie, sets); }
  operand<Exec, T> out(const lines& lie) const { return operand<Exec, T>::output(lie, sets); }
  /// A result that the call reads unless beta is 0.
  operand<Exec, T> updated(int number, const lines& lie) const { return e.lies.beta == 0 ? out(lie) : in(number, lie); }

  /// Operand i as the case places it: a vector, and a rows x cols matrix.
  static lines vector_lines(const extents& e, int i, index_t size) { return {size, 1, size, e.lies.offset[i]}; }
  static lines matrix_lines(const extents& e, int i, index_t rows, index_t cols) {
    const index_t length = e.lies.by_rows ? cols : rows, count = rows + cols - length;
    return {length, count, std::max(length, e.lies.leading[i]), e.lies.offset[i]};
  }

  /// Queues the peer's routine; false where it has none.
  bool ask(const routines<T>& /*peer*/, int /*set*/, const operand<Exec, T>& /*result*/) const { return false; }
  static double flops(const extents& /*e*/) { return 0; }
  /// Of kernels whose operands a case may place.
  static std::vector<lines> operands(const extents& /*e*/) { return {}; }
};

}  // namespace abax::perf
