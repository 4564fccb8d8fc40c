// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The probe of Views: kernels that compare what they find in the Views they capture with what the host has written.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "abax/detail/launch/probe.hpp"

namespace abax::launch {

/// What one side finds in a View of rank up to 2: the object's size, the data's address, extents and strides.
struct view_facts {
  std::uint64_t size, address, extents[2], strides[2];

  template <class View>
  KOKKOS_FUNCTION static view_facts of(const View& view) {
    view_facts found{};
    found.size = sizeof(View);
    found.address = reinterpret_cast<std::uintptr_t>(view.data());
    for (int r = 0; r < static_cast<int>(View::rank()); ++r) {
      found.extents[r] = view.extent(r);
      found.strides[r] = view.stride(r);
    }
    return found;
  }
  KOKKOS_FUNCTION bool same_place(const view_facts& other) const {
    bool same = address == other.address;
    for (int r = 0; r < 2; ++r) same = same && extents[r] == other.extents[r] && strides[r] == other.strides[r];
    return same;
  }
};

/// What a kernel finds, and one element, read through the View and negated.
struct view_report {
  view_facts found;
  double element;
};

/// The element is touched only where all facts but the size are the host's, so that the probe of a faulty build ends
/// with an answer and not with a wrong access. What is no View comes first: its place does not depend on how a View is
/// laid out.
template <class View>
struct view_probe {
  view_report* report;
  view_facts expected;
  View view;

  KOKKOS_FUNCTION void operator()(int) const {
    report->found = view_facts::of(view);
    if (!report->found.same_place(expected)) return;
    if constexpr (View::rank() == 0)
      negate(view());
    else if constexpr (View::rank() == 1)
      negate(view(view.extent(0) - 1));
    else
      negate(view(view.extent(0) - 1, view.extent(1) - 1));
  }

 private:
  template <class Element>
  KOKKOS_FUNCTION void negate(Element& at) const {
    report->element = at;
    if constexpr (!std::is_const_v<Element>) at = -at;
  }
};

// Outside the class, and so not inline: see launch/gemm_def.hpp.
template <class Exec>
template <class View>
std::string probe<Exec>::fault_of(const Exec& exec, const char* kind, const View& view,
                                  const Kokkos::View<double*, memory>& values) {
  // Whatever is copied here is a whole contiguous View: that takes no kernel.
  double before[elements], after[elements];
  for (int i = 0; i < elements; ++i) before[i] = 1 + i;
  const Kokkos::View<double*, Kokkos::HostSpace> host_before(before, elements), host_after(after, elements);
  view_report got{};
  const Kokkos::View<view_report, Kokkos::HostSpace> host_report(&got);
  const Kokkos::View<view_report, memory> report(Kokkos::view_alloc(Kokkos::WithoutInitializing, exec, "report"));
  Kokkos::deep_copy(exec, values, host_before);
  Kokkos::deep_copy(exec, report, host_report);
  const view_facts want = view_facts::of(view);
  Kokkos::parallel_for("abax::probe", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       view_probe<View>{report.data(), want, view});
  Kokkos::deep_copy(exec, host_report, report);
  Kokkos::deep_copy(exec, host_after, values);
  exec.fence("abax::probe");

  const view_facts& found = got.found;
  if (found.size == 0) return std::string("a kernel that captures a View ") + kind + " leaves nothing behind";
  if (found.size != want.size)
    return std::string("a View ") + kind + " has " + std::to_string(want.size) + " bytes on the host and " +
           std::to_string(found.size) + " in a kernel";
  const std::string a_view = std::string("a kernel that captures a View ") + kind;
  if (found.address != want.address) return a_view + " finds another address than the host has written";
  if (std::memcmp(found.extents, want.extents, sizeof want.extents) != 0) return a_view + " finds other extents";
  if (std::memcmp(found.strides, want.strides, sizeof want.strides) != 0) return a_view + " finds other strides";
  std::size_t last = view.data() - values.data();
  for (int r = 0; r < static_cast<int>(View::rank()); ++r) last += (view.extent(r) - 1) * view.stride(r);
  if (got.element != before[last]) return a_view + " reads another element than the host has written";
  if (!std::is_const_v<typename View::value_type>) before[last] = -before[last];
  if (std::memcmp(after, before, sizeof before) != 0) return a_view + " writes another element than it was told";
  return "";
}

template <class Exec>
std::string probe<Exec>::fault(const Exec& exec) {
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const Kokkos::View<double*, memory> values(Kokkos::view_alloc(Kokkos::WithoutInitializing, exec, "values"), elements);
  double* const data = values.data();
  const Kokkos::View<double**, Kokkos::LayoutLeft, memory, unmanaged> left(data, rows, cols);
  const Kokkos::View<double**, Kokkos::LayoutRight, memory, unmanaged> right(data, rows, cols);
  const Kokkos::LayoutStride strides(rows, cols, cols, 1);
  std::string found;
  const auto ask = [&](const char* kind, const auto& view) {
    if (found.empty()) found = fault_of(exec, kind, view, values);
  };
  ask("of rank 0", Kokkos::View<double, memory, unmanaged>(data));
  ask("of rank 1", values);
  ask("of rank 1, constant", Kokkos::View<const double*, memory>(values));
  ask("of rank 2, LayoutLeft", left);
  ask("of rank 2, LayoutRight", right);
  ask("of rank 2, LayoutStride", Kokkos::View<double**, Kokkos::LayoutStride, memory, unmanaged>(data, strides));
  ask("of rank 2, one extent of which the compiler knows", Kokkos::View<double* [cols], memory, unmanaged>(data, rows));
  ask("of rank 2, both extents of which the compiler knows", Kokkos::View<double[rows][cols], memory, unmanaged>(data));
  ask("of a column", Kokkos::subview(left, Kokkos::ALL, 1));
  ask("of a block", Kokkos::subview(right, std::pair<int, int>(1, 3), std::pair<int, int>(2, 4)));
  return found;
}

}  // namespace abax::launch
