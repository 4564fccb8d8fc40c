// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One call of a routine: the stream that it runs on, and its operands as that stream can use them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <type_traits>

#include "device.hpp"
#include "stream.hpp"

namespace abax::blas {

using device::access;

/// Element 0 of a vector whose increment may count from its end.
template <class T>
T* first(T* x, std::int64_t n, std::int64_t incx) {
  return incx < 0 ? x - (n - 1) * incx : x;
}

/// Column-major, or a vector with element 0 at `data`.
template <class T>
struct matrix {
  T* data;
  std::int64_t ld;
};
template <class T>
struct vector {
  T* data;
  std::int64_t inc;
};
template <class T>
device::memory_range range_of(const T* data, std::int64_t elements) {
  return {data, sizeof(T) * static_cast<std::size_t>(elements)};
}

template <bool HasDevice>
class call_in_a_build {
 public:
  /// `operands`: those that it reads or writes.
  call_in_a_build(const char* routine, [[maybe_unused]] std::initializer_list<device::memory_range> operands)
      : routine_(routine) {
    if constexpr (HasDevice) {
      device_ = device::session::begin(routine, operands);
      if (device_) stream_ = device_->stream();
    }
  }
  abax_stream* stream() const { return stream_ != nullptr ? stream_ : host_stream(); }
  bool is_on_host() const {
    if constexpr (HasDevice) return device_ == nullptr;
    return true;
  }
  void require(abax_status status) const {
    if (status != ABAX_SUCCESS) end_program(status, stream(), routine_);
  }

  /// A rows x cols matrix or a vector of n elements; one that no access needs is none.
  template <class T>
  matrix<T> use(T* a, std::int64_t rows, std::int64_t cols, std::int64_t ld, access needed) {
    if constexpr (HasDevice) {
      if (device_ && !device_->is_here(a))
        return {static_cast<T*>(device_->copy(a, sizeof(T) * rows, cols, sizeof(T) * ld, needed)), rows};
    }
    return {a, ld};
  }
  template <class T>
  vector<T> use(T* x, std::int64_t n, std::int64_t incx, access needed) {
    if constexpr (HasDevice) {
      if (device_ && !device_->is_here(x)) {
        if (incx == 0) return {use(x, 1, 1, 1, needed).data, 0};
        T* const copied = use(x, 1, n, n == 1 ? 1 : std::abs(incx), needed).data;
        const std::int64_t inc = incx < 0 ? -1 : 1;
        return {first(copied, n, inc), inc};
      }
    }
    return {first(x, n, incx), incx};
  }
  /// To be called last: results are in place.
  void finish() {
    if constexpr (HasDevice)
      if (device_) device_->finish();
  }

 private:
  const char* routine_;
  abax_stream* stream_ = nullptr;
  [[no_unique_address]] std::conditional_t<HasDevice, std::unique_ptr<device::session>, std::nullptr_t> device_;
};
using call = call_in_a_build<device::exists>;

}  // namespace abax::blas
