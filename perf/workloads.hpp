// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The kernels that are measured: operands, the call, and what the canon says of one element of the result.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
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
    Kokkos::parallel_for("abax-perf::fill", x.everything(), fill_inputs<T>{number, size, x.all_.data()});
    return x;
  }
  static operand output(const std::string& name, index_t size, int sets) {
    operand x(name, size, sets);
    Kokkos::parallel_for("abax-perf::poison", x.everything(), fill_poison<T>{x.all_.data()});
    return x;
  }

  index_t size() const { return size_; }
  T* data(int set) const { return all_.data() + set * size_; }
  Kokkos::View<T*, memory, unmanaged> vector(int set) const { return {data(set), static_cast<std::size_t>(size_)}; }
  /// Column-major, as in BLAS.
  Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged> matrix(int set, index_t rows, index_t cols) const {
    return {data(set), static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)};
  }

 private:
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>> everything() const {
    return {0, static_cast<index_t>(all_.extent(0))};
  }

  index_t size_;
  Kokkos::View<T*, memory> all_;
};

template <class Exec, class T, bool Transposed>
struct gemv_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> A, x, result;

  gemv_kernel(const extents& e, int sets)
      : e(e),
        A(operand<Exec, T>::input("A", 1, e.m * e.k, sets)),
        x(operand<Exec, T>::input("x", 2, e.k, sets)),
        result(operand<Exec, T>::output("y", e.m, sets)) {}

  void run(const Exec& exec, int set) const {
    const auto a = Transposed ? A.matrix(set, e.k, e.m) : A.matrix(set, e.m, e.k);
    abax::gemv(exec, Transposed ? "T" : "N", T(1), a, x.vector(set), T(0), result.vector(set));
  }
  T expected(index_t i, index_t) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, Transposed ? p + i * e.k : i + p * e.m); },
        [](index_t p) { return input<T>(2, p); });
  }
};
template <class Exec, class T>
using gemv_n = gemv_kernel<Exec, T, false>;
template <class Exec, class T>
using gemv_t = gemv_kernel<Exec, T, true>;

template <class Exec, class T>
struct gemm_kernel {
  static constexpr bool in_place = false;
  extents e;
  operand<Exec, T> A, B, result;

  gemm_kernel(const extents& e, int sets)
      : e(e),
        A(operand<Exec, T>::input("A", 1, e.m * e.k, sets)),
        B(operand<Exec, T>::input("B", 2, e.k * e.n, sets)),
        result(operand<Exec, T>::output("C", e.m * e.n, sets)) {}

  void run(const Exec& exec, int set) const {
    abax::gemm(exec, "N", "N", T(1), A.matrix(set, e.m, e.k), B.matrix(set, e.k, e.n), T(0),
               result.matrix(set, e.m, e.n));
  }
  T expected(index_t i, index_t j) const {
    return canonical_dot<T>(
        e.k, [&](index_t p) { return input<T>(1, i + p * e.m); }, [&](index_t p) { return input<T>(2, p + j * e.k); });
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
  T expected(index_t i, index_t j) const { return input<T>(1, j + i * e.n); }
};

template <class Exec, class T>
struct increment_kernel {
  static constexpr bool in_place = true;
  extents e;
  operand<Exec, T> result;

  increment_kernel(const extents& e, int sets) : e(e), result(operand<Exec, T>::input("x", 1, e.m, sets)) {}

  void run(const Exec& exec, int set) const { abax::increment(exec, T(1), result.vector(set)); }
  T expected(index_t i, index_t) const { return input<T>(1, i) + T(1); }
};

/// What is the same for all of them.
template <class Exec, class T, class Kernel>
class prepared final : public workload {
 public:
  prepared(const extents& e, int sets) : kernel_(e, sets), sets_(sets) { exec_.fence(); }

  void run() override {
    kernel_.run(exec_, next_);
    next_ = (next_ + 1) % sets_;
    used_ = std::max(used_, next_ == 0 ? sets_ : next_);
  }
  void fence() override { exec_.fence(); }

  verdict check() override {
    kernel_.run(exec_, 0);
    verdict v{0, 0, 0, checksum(0)};
    Kokkos::parallel_reduce("abax-perf::unwritten", whole(), count_poison<T>{kernel_.result.data(0)}, v.unwritten);
    const auto places = sample(kernel_.e.m, kernel_.e.n, 508);
    const std::vector<T> computed = values(places);
    for (std::size_t s = 0; s < places.size(); ++s) {
      const T expected = kernel_.expected(places[s].i, places[s].j);
      v.wrong += std::memcmp(&expected, &computed[s], sizeof(T)) != 0;
    }
    v.samples = static_cast<int>(places.size());
    return v;
  }

  bool unchanged(std::uint64_t before) override {
    if constexpr (!Kernel::in_place)
      for (int set = 0; set < used_; ++set)
        if (checksum(set) != before) return false;
    return true;
  }

 private:
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;
  range whole() const { return range(exec_, 0, kernel_.result.size()); }

  std::uint64_t checksum(int set) const {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce("abax-perf::checksum", whole(), sum_of_bits<T>{kernel_.result.data(set)}, sum);
    return sum;
  }

  std::vector<T> values(const std::vector<place>& places) const {
    using memory = typename Exec::memory_space;
    Kokkos::View<index_t*, memory> at("places", places.size());
    Kokkos::View<T*, memory> found("values", places.size());
    const auto host_at = Kokkos::create_mirror_view(at);
    for (std::size_t s = 0; s < places.size(); ++s) host_at(s) = places[s].i + places[s].j * kernel_.e.m;
    Kokkos::deep_copy(exec_, at, host_at);
    Kokkos::parallel_for("abax-perf::gather", range(exec_, 0, static_cast<index_t>(places.size())),
                         gather<T>{kernel_.result.data(0), at.data(), found.data()});
    const auto host_found = Kokkos::create_mirror_view(found);
    Kokkos::deep_copy(exec_, host_found, found);
    exec_.fence();
    return {host_found.data(), host_found.data() + places.size()};
  }

  Exec exec_;
  Kernel kernel_;
  int sets_, next_ = 0, used_ = 1;  // sets that hold a result: the first `used_`
};

}  // namespace abax::perf
