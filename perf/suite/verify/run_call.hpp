// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A call of the golden table on any execution space that Abax serves.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "call.hpp"
#include "numbers.hpp"

namespace abax::perf::golden {

/// Items of rows x cols, and where their elements lie: `first` elements behind the begin of memory, in which nothing
/// else is touched.
struct spot {
  index_t rows, cols, items, row, col, item, first;

  spot(lay lies, index_t rows_, index_t cols_, index_t items_) : rows(rows_), cols(cols_), items(items_) {
    const bool gaps = lies == lay::gaps, strides = lies == lay::strides;
    first = gaps ? 1 : strides ? 2 : 0;
    if (strides && items > 1) {  // items are neighbours
      item = 1;
      row = items;
      col = items * std::max<index_t>(rows, 1);
    } else {
      const bool by_rows = lies == lay::rows;
      const index_t next = strides ? 2 : 1, length = by_rows ? cols : rows, count = by_rows ? rows : cols;
      const index_t line = next * std::max<index_t>(length, 1) + (gaps ? 3 : strides ? 1 : 0);
      row = by_rows ? line : next;
      col = by_rows ? next : line;
      item = line * std::max<index_t>(count, 1);
    }
  }
  index_t count() const { return rows * cols * items; }
  /// Where element e lies, counted item after item, column after column.
  index_t at(index_t e) const { return first + e % rows * row + e / rows % cols * col + e / (rows * cols) * item; }
  index_t size() const { return count() == 0 ? first + 1 : at(count() - 1) + 2; }
};

template <class Exec, class T>
class held {
 public:
  /// Operand `number` of the call; 0: nothing that is to be read.
  held(const call& c, lay lies, int number, index_t rows, index_t cols = 1, index_t items = 1)
      : spot_(lies, rows, cols, items), memory_("abax-perf::golden", static_cast<std::size_t>(spot_.size())) {
    const auto host = Kokkos::create_mirror_view(memory_);
    for (index_t i = 0; i < spot_.size(); ++i) host(i) = around();
    const kind numbers = kind_of(c.numbers);
    for (index_t e = 0; e < spot_.count() && number > 0; ++e) host(spot_.at(e)) = element<T>(numbers, number, e);
    Kokkos::deep_copy(memory_, host);
  }

  auto vector() const { return view<T*>(Kokkos::LayoutStride(spot_.rows, spot_.row)); }
  auto matrix() const { return view<T**>(Kokkos::LayoutStride(spot_.rows, spot_.row, spot_.cols, spot_.col)); }
  auto matrices() const {
    return view<T***>(Kokkos::LayoutStride(spot_.items, spot_.item, spot_.rows, spot_.row, spot_.cols, spot_.col));
  }
  /// Vectors, as many as there are items.
  auto vectors() const { return view<T**>(Kokkos::LayoutStride(spot_.items, spot_.item, spot_.rows, spot_.row)); }
  auto scalar() const {
    return Kokkos::View<T, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(memory_.data() + spot_.first);
  }

  outcome result(const Exec& exec) const {
    Kokkos::View<T*, Kokkos::HostSpace> host("abax-perf::golden result", memory_.extent(0));
    exec.fence();
    Kokkos::deep_copy(host, memory_);
    outcome found{{}, 0, false};
    for (index_t e = 0; e < spot_.count(); ++e) {
      T& x = host(spot_.at(e));
      append_bits(x, found.bits);
      x = around();
    }
    const T untouched = around();
    for (index_t i = 0; i < spot_.size(); ++i)
      found.strayed = found.strayed || std::memcmp(&host(i), &untouched, sizeof(T)) != 0;
    found.hash = hash_of(found.bits);
    return found;
  }

 private:
  static T around() {
    if constexpr (std::is_integral_v<T>)
      return T(-1);
    else
      return unread_element<T>();
  }
  template <class Type>
  auto view(const Kokkos::LayoutStride& layout) const {
    return Kokkos::View<Type, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(
        memory_.data() + spot_.first, layout);
  }

  spot spot_;
  Kokkos::View<T*, typename Exec::memory_space> memory_;
};

template <class Exec, class T>
outcome run_on(const Exec& exec, const call& c, lay lies) {
  const T alpha = scale<T>(c.alpha), beta = scale<T>(c.beta);
  const int updated = beta == T(0) ? 0 : 3;
  const auto op = [&](std::size_t i) { return std::string(1, c.op.at(i)); };
  const auto holds = [&](int number, index_t rows, index_t cols = 1, index_t items = 1) {
    return held<Exec, T>(c, lies, number, rows, cols, items);
  };
  /// That matrix whose op() is rows x cols.
  const auto taken = [&](int number, std::size_t i, index_t rows, index_t cols, index_t items = 1) {
    return op(i) == "N" ? holds(number, rows, cols, items) : holds(number, cols, rows, items);
  };
  const auto is = [&](const char* name) { return c.kernel == name; };
  if (is("gemm")) {
    const auto A = taken(1, 0, c.m, c.k), B = taken(2, 1, c.k, c.n), C = holds(updated, c.m, c.n);
    abax::gemm(exec, op(0).c_str(), op(1).c_str(), alpha, A.matrix(), B.matrix(), beta, C.matrix());
    return C.result(exec);
  }
  // The library has gemm_integer for these spaces; for another one its kernels would take minutes to compile.
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace> ||
                std::is_same_v<Exec, Kokkos::DefaultExecutionSpace>)
    if (is("gemm_integer")) {
      const auto A = taken(1, 0, c.m, c.k), B = taken(2, 1, c.k, c.n), C = holds(updated, c.m, c.n);
      abax::gemm_integer(exec, op(0).c_str(), op(1).c_str(), alpha, A.matrix(), B.matrix(), beta, C.matrix());
      return C.result(exec);
    }
  if (is("gemmt")) {
    const auto A = taken(1, 1, c.n, c.k), B = taken(2, 2, c.k, c.n), C = holds(updated, c.n, c.n);
    abax::gemmt(exec, op(0).c_str(), op(1).c_str(), op(2).c_str(), alpha, A.matrix(), B.matrix(), beta, C.matrix());
    return C.result(exec);
  }
  if (is("syrk")) {
    const auto A = taken(1, 1, c.n, c.k), C = holds(updated, c.n, c.n);
    abax::syrk(exec, op(0).c_str(), op(1).c_str(), alpha, A.matrix(), beta, C.matrix());
    return C.result(exec);
  }
  if constexpr (has_parts<T>)
    if (is("herk")) {
      const auto A = taken(1, 1, c.n, c.k), C = holds(updated, c.n, c.n);
      abax::herk(exec, op(0).c_str(), op(1).c_str(), alpha.real(), A.matrix(), beta.real(), C.matrix());
      return C.result(exec);
    }
  if (is("gemv")) {
    const auto A = taken(1, 0, c.m, c.k), x = holds(2, c.k), y = holds(updated, c.m);
    abax::gemv(exec, op(0).c_str(), alpha, A.matrix(), x.vector(), beta, y.vector());
    return y.result(exec);
  }
  if (is("gemm_batched")) {
    const auto A = taken(1, 0, c.m, c.k, c.items), B = taken(2, 1, c.k, c.n, c.items);
    const auto C = holds(updated, c.m, c.n, c.items);
    abax::gemm_batched(exec, op(0).c_str(), op(1).c_str(), alpha, A.matrices(), B.matrices(), beta, C.matrices());
    return C.result(exec);
  }
  if (is("gemv_batched")) {
    const auto A = taken(1, 0, c.m, c.k, c.items), x = holds(2, c.k, 1, c.items), y = holds(updated, c.m, 1, c.items);
    abax::gemv_batched(exec, op(0).c_str(), alpha, A.matrices(), x.vectors(), beta, y.vectors());
    return y.result(exec);
  }
  if (is("transpose") || is("conjugate_transpose")) {
    const auto A = holds(1, c.n, c.m), B = holds(0, c.m, c.n);
    if (is("transpose"))
      abax::transpose(exec, A.matrix(), B.matrix());
    else
      abax::conjugate_transpose(exec, A.matrix(), B.matrix());
    return B.result(exec);
  }
  if (is("transpose_in_place") || is("conjugate_transpose_in_place")) {
    const auto A = holds(1, c.m, c.m);
    if (is("transpose_in_place"))
      abax::transpose(exec, A.matrix());
    else
      abax::conjugate_transpose(exec, A.matrix());
    return A.result(exec);
  }
  if (is("dot") || is("dotc")) {
    const auto x = holds(1, c.k), y = holds(2, c.k), r = holds(0, 1);
    if (is("dot"))
      abax::dot(exec, x.vector(), y.vector(), r.scalar());
    else if constexpr (has_parts<T>)
      abax::dotc(exec, x.vector(), y.vector(), r.scalar());
    return r.result(exec);
  }
  if constexpr (!has_parts<T>)
    if (is("sum")) {
      const auto x = holds(1, c.k), r = holds(0, 1);
      abax::sum(exec, x.vector(), r.scalar());
      return r.result(exec);
    }
  if (is("asum") || is("nrm2")) {
    const auto x = holds(1, c.k);
    const held<Exec, real_t<T>> r(c, lies, 0, 1);
    if (is("asum"))
      abax::asum(exec, x.vector(), r.scalar());
    else
      abax::nrm2(exec, x.vector(), r.scalar());
    return r.result(exec);
  }
  if (is("iamax")) {
    const auto x = holds(1, c.k);
    const held<Exec, index_t> r(c, lies, 0, 1);
    abax::iamax(exec, x.vector(), r.scalar());
    return r.result(exec);
  }
  if (is("increment")) {
    const auto x = holds(1, c.m);
    abax::increment(exec, alpha, x.vector());
    return x.result(exec);
  }
  const auto stream = [&](const auto& as) {
    const auto x = holds(1, c.m, c.n);
    if (is("triad")) {
      const auto y = holds(2, c.m, c.n), z = holds(0, c.m, c.n);
      abax::triad(exec, alpha, as(x), as(y), as(z));
      return z.result(exec);
    }
    const auto y = holds(is("axpby") ? updated : 0, c.m, c.n);
    if (is("axpby"))
      abax::axpby(exec, alpha, as(x), beta, as(y));
    else if (is("scal"))
      abax::scal(exec, as(y), alpha, as(x));
    else if (is("copy"))
      abax::copy(exec, as(x), as(y));
    else
      throw std::runtime_error("no such kernel in the golden table: " + text_of(c));
    return y.result(exec);
  };
  if (c.n == 1) return stream([](const auto& x) { return x.vector(); });
  return stream([](const auto& x) { return x.matrix(); });
}

/// Of the type that the call names.
template <class Exec>
outcome run_on(const Exec& exec, const call& c, lay lies) {
  if (c.type == "f32") return run_on<Exec, float>(exec, c, lies);
  if (c.type == "f64") return run_on<Exec, double>(exec, c, lies);
  if (c.type == "c64") return run_on<Exec, Kokkos::complex<float>>(exec, c, lies);
  if (c.type == "c128") return run_on<Exec, Kokkos::complex<double>>(exec, c, lies);
  throw std::runtime_error("no such type in the golden table: " + text_of(c));
}

}  // namespace abax::perf::golden
