// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views as users have them, captured by users' kernels and filled with values, on every space of the build: each
// element is where the host says it is, and nothing beside it changes.
#include <Kokkos_Core.hpp>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <utility>

#include "bits.hpp"
#include "fields.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
constexpr std::array<index_t, 4> extents{6, 5, 3, 2};
constexpr index_t offset = 37, space_of_one_view = 600;

/// A View of `Data` in a field, and where the test says its elements are.
template <class Data, class Layout, class Exec>
struct placed {
  using View = Kokkos::View<Data, Layout, typename Exec::memory_space, unmanaged>;
  using T = typename View::non_const_value_type;
  static constexpr int rank = View::rank();

  field<T, Exec> memory{offset + space_of_one_view};
  std::array<index_t, 4> strides{};
  View view;

  placed() {
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      strides = {11, 2, 145, 71};  // gaps in every direction, and an order of its own: 1, 0, 3, 2
    } else {
      index_t packed = 1;
      for (int r = 0; r < rank; ++r) {
        const int d = std::is_same_v<Layout, Kokkos::LayoutLeft> ? r : rank - 1 - r;
        strides[d] = packed;
        packed *= extents[d];
      }
    }
    view = [&]<std::size_t... d>(std::index_sequence<d...>) {
      if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
        Layout layout;
        ((layout.dimension[d] = extents[d], layout.stride[d] = strides[d]), ...);
        return View(memory.data() + offset, layout);
      } else {
        return View(memory.data() + offset, Layout(extents[d]...));
      }
    }
    (std::make_index_sequence<rank>());
  }

  /// visit(e-th index in memory) for the elements between begin and end in each direction, the last one fastest.
  template <class Visit>
  void for_each_element(const std::array<index_t, 4>& begin, const std::array<index_t, 4>& end, const Visit& visit) {
    for (index_t a = begin[0]; a < end[0]; ++a)
      for (index_t b = begin[1]; b < end[1]; ++b)
        for (index_t c = begin[2]; c < end[2]; ++c)
          for (index_t d = begin[3]; d < end[3]; ++d)
            visit(offset + a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]);
  }
  template <class Visit>
  void for_each_element(const Visit& visit) {
    std::array<index_t, 4> end{1, 1, 1, 1};
    for (int r = 0; r < rank; ++r) end[r] = extents[r];
    for_each_element({}, end, visit);
  }
};

/// What a kernel sees of a View that it captures, and its elements.
constexpr int facts = 12;
template <class View>
KOKKOS_FUNCTION index_t fact(const View& view, int which) {
  constexpr int rank = View::rank();
  if (which == 0) return sizeof(View);
  if (which == 1) return static_cast<index_t>(view.size());
  if (which == 2) return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(view.data()));
  if (which == 3) return view.span_is_contiguous();
  if constexpr (rank > 0) {
    if (which < 4 + rank) return static_cast<index_t>(view.extent(which - 4));
    if (which >= 8 && which < 8 + rank) return static_cast<index_t>(view.stride(which - 8));
  }
  return -1;
}
template <class View, class Exec>
struct read_elements {
  typename View::const_type from;
  Kokkos::View<typename View::non_const_value_type*, typename Exec::memory_space, unmanaged> to;
  Kokkos::View<index_t[facts], typename Exec::memory_space> seen;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    to(e) = element(from, e);
    if (e == 0)
      for (int which = 0; which < facts; ++which) seen(which) = fact(from, which);
  }
};

/// The View written by a lambda, and read, as const, by a functor.
template <class Exec, class Placed>
void check_kernels(const Exec& exec, Placed& x) {
  using T = typename Placed::T;
  index_t count = 0;
  x.for_each_element([&](index_t at) { x.memory[at] = number<T>(count++); });
  REQUIRE(static_cast<index_t>(x.view.size()) == count);
  write_numbers(exec, x.view, 0);
  REQUIRE(x.memory.change() == "");
  field<T, Exec> copy(count + 2);
  for (index_t e = 0; e < count; ++e) copy[e + 1] = number<T>(e);
  const read_elements<typename Placed::View, Exec> read{
      x.view, decltype(read.to)(copy.data() + 1, static_cast<std::size_t>(count)), decltype(read.seen)("seen")};
  Kokkos::parallel_for("read_elements", Kokkos::RangePolicy<Exec>(exec, 0, count), read);
  REQUIRE(copy.change() == "");
  REQUIRE(x.memory.change() == "");
  const auto seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), read.seen);
  for (int which = 0; which < facts; ++which) {
    CAPTURE(which);
    REQUIRE(seen(which) == fact(read.from, which));
  }
}

/// The whole View filled with values, by way of the space's instance and without.
template <class Exec, class Placed>
void check_fills(const Exec& exec, Placed& x) {
  using T = typename Placed::T;
  for (const T value : {T(1.5), T(0), nan_with_payload<T>()}) {  // not -0, which Kokkos' fills store as +0
    x.for_each_element([&](index_t at) { x.memory[at] = value; });
    Kokkos::deep_copy(exec, x.view, value);
    REQUIRE(x.memory.change() == "");
    x.for_each_element([&](index_t at) { x.memory[at] = T(-7); });
    Kokkos::deep_copy(x.view, T(-7));
    REQUIRE(x.memory.change() == "");
  }
}

std::pair<index_t, index_t> bounds(index_t i, index_t) { return {i, i + 1}; }
std::pair<index_t, index_t> bounds(std::pair<int, int> range, index_t) { return range; }
std::pair<index_t, index_t> bounds(Kokkos::ALL_t, index_t extent) { return {0, extent}; }

/// A part of the View filled with values, then written by a kernel that captures it.
template <class Exec, class Placed, class... Slices>
void check_subview(const Exec& exec, Placed& x, Slices... slices) {
  using T = typename Placed::T;
  std::array<index_t, 4> begin{}, end{1, 1, 1, 1};
  int d = 0;
  ((std::tie(begin[d], end[d]) = bounds(slices, extents[d]), ++d), ...);
  const auto part = Kokkos::subview(x.view, slices...);
  CAPTURE(begin, end);
  for (const T value : {T(2.5), T(0)}) {
    x.for_each_element(begin, end, [&](index_t at) { x.memory[at] = value; });
    Kokkos::deep_copy(exec, part, value);
    REQUIRE(x.memory.change() == "");
  }
  x.for_each_element(begin, end, [&](index_t at) { x.memory[at] = T(-3); });
  Kokkos::deep_copy(part, T(-3));
  REQUIRE(x.memory.change() == "");
  index_t count = 0;
  x.for_each_element(begin, end, [&](index_t at) { x.memory[at] = number<T>(100 + count++); });
  write_numbers(exec, part, 100);
  REQUIRE(x.memory.change() == "");
}

template <class T, class Layout, class Exec>
void check_layout(const Exec& exec, Layout, const char* layout) {
  CAPTURE(exec.name(), layout);
  const auto check = [&]<class Data>(std::type_identity<Data>) {
    placed<Data, Layout, Exec> x;
    CAPTURE(x.rank);
    check_kernels(exec, x);
    if constexpr (x.rank == x.view.rank_dynamic()) check_fills(exec, x);  // to a fill all extents are dynamic
  };
  check(std::type_identity<T>());
  check(std::type_identity<T*>());
  check(std::type_identity<T**>());
  check(std::type_identity<T* [5]>());
  check(std::type_identity<T***>());
  check(std::type_identity<T[6][5][3]>());
  check(std::type_identity<T****>());
  check(std::type_identity<T** [3][2]>());
}

template <class T, class Layout, class Exec>
void check_subviews(const Exec& exec, Layout, const char* layout) {
  CAPTURE(exec.name(), layout);
  constexpr auto all = Kokkos::ALL;
  const auto range = [](int begin, int end) { return std::pair<int, int>(begin, end); };
  placed<T*, Layout, Exec> vector;
  placed<T**, Layout, Exec> matrix;
  placed<T***, Layout, Exec> cube;
  check_subview(exec, vector, range(1, 5));
  check_subview(exec, vector, 3);
  check_subview(exec, matrix, all, 2);
  check_subview(exec, matrix, 4, all);
  check_subview(exec, matrix, range(2, 6), range(1, 4));
  check_subview(exec, matrix, 5, 4);
  check_subview(exec, cube, 2, all, all);
  check_subview(exec, cube, all, 3, all);
  check_subview(exec, cube, all, all, 1);
  check_subview(exec, cube, range(1, 4), range(0, 3), range(1, 3));
  check_subview(exec, cube, 1, range(1, 5), 2);
}

template <class T, class Exec>
void check_managed(const Exec& exec) {
  CAPTURE(exec.name());
  using memory = typename Exec::memory_space;
  const Kokkos::View<T**, memory> first("first", 7, 9);  // the space's own layout, zeros
  const Kokkos::View<T**, memory> second = first;        // the same memory
  REQUIRE(second.use_count() == 2);
  write_numbers(exec, second, 5);
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), first);
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 9; ++j) REQUIRE(on_host(i, j) == number<T>(5 + 9 * i + j));
  Kokkos::deep_copy(first, T(0.75));
  const auto filled = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), second);
  const Kokkos::View<T**, memory> zeros("zeros", 7, 9);
  const auto initialized = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), zeros);
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 9; ++j) {
      REQUIRE(filled(i, j) == T(0.75));
      REQUIRE(bits_of(initialized(i, j)) == 0);
    }
  const Kokkos::View<T, memory> one("one");
  Kokkos::deep_copy(one, nan_with_payload<T>());
  T value;
  Kokkos::deep_copy(value, one);
  REQUIRE(difference(value, nan_with_payload<T>()) == "");
}

}  // namespace

TEST_CASE("Views of every layout and rank are captured, read, written and filled", "[views]") {
  for_each_space([](const auto& exec) {
    check_layout<double>(exec, Kokkos::LayoutLeft(), "left");
    check_layout<double>(exec, Kokkos::LayoutRight(), "right");
    check_layout<double>(exec, Kokkos::LayoutStride(), "stride");
  });
}

TEST_CASE("Subviews are filled and written without their neighbours", "[views]") {
  for_each_space([](const auto& exec) {
    check_subviews<float>(exec, Kokkos::LayoutLeft(), "left");
    check_subviews<float>(exec, Kokkos::LayoutRight(), "right");
    check_subviews<float>(exec, Kokkos::LayoutStride(), "stride");
  });
}

TEST_CASE("Views that own their memory hold what they were filled with", "[views]") {
  for_each_space([](const auto& exec) {
    check_managed<float>(exec);
    check_managed<double>(exec);
  });
}
