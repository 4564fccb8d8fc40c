// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The probe of captured Views: the Kokkos of this build passes, and a View that a kernel lays out otherwise does not.
#include <Kokkos_Core.hpp>
#include <abax/probe.hpp>
#include <abax/templates.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "spaces.hpp"

using namespace abax::tests;

TEST_CASE("Kernels see the Views they capture as the host wrote them", "[probe]") {
  for_each_space([](const auto& exec) {
    CAPTURE(exec.name());
    REQUIRE(abax::view_fault(exec) == "");
    REQUIRE_NOTHROW(abax::require_right_views(exec));
  });
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// A View of rank 1 with what `Fault` makes of it on the device alone.
enum class fault { size, address, extent, no_extent, stride };
template <fault Fault>
struct faulty_view {
  using value_type = double;
  double* pointer;
#ifdef __CUDA_ARCH__
  std::conditional_t<Fault == fault::size, double[2], double> padding;
  static constexpr bool on_device = true;
#else
  double padding;
  static constexpr bool on_device = false;
#endif
  static constexpr bool wrong(fault kind) { return on_device && kind == Fault; }
  static constexpr int rank() { return 1; }
  KOKKOS_FUNCTION double* data() const { return pointer + wrong(fault::address); }
  KOKKOS_FUNCTION std::size_t extent(int) const { return wrong(fault::no_extent) ? 0 : 5 - wrong(fault::extent); }
  KOKKOS_FUNCTION std::size_t stride(int) const { return wrong(fault::stride) ? std::size_t(1) << 40 : 1; }
  KOKKOS_FUNCTION double& operator()(std::size_t i) const { return pointer[i * stride(0)]; }
};

template <fault Fault>
std::string found_in() {
  const Kokkos::Cuda exec;
  const Kokkos::View<double*, Kokkos::CudaSpace> values("values", abax::launch::probe<Kokkos::Cuda>::elements);
  return abax::launch::probe<Kokkos::Cuda>::fault_of(exec, "of this test", faulty_view<Fault>{values.data(), {}},
                                                     values);
}

}  // namespace
#endif

TEST_CASE("A View that a kernel lays out otherwise is detected", "[probe]") {
#ifdef KOKKOS_ENABLE_CUDA
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(found_in<fault::size>(), ContainsSubstring("leaves nothing behind") ||
                                          ContainsSubstring("16 bytes on the host and 24 in a kernel"));
  CHECK_THAT(found_in<fault::address>(), ContainsSubstring("finds another address"));
  CHECK_THAT(found_in<fault::extent>(), ContainsSubstring("finds other extents"));
  CHECK_THAT(found_in<fault::no_extent>(), ContainsSubstring("finds other extents"));
  CHECK_THAT(found_in<fault::stride>(), ContainsSubstring("finds other strides"));
#else
  SKIP("needs a GPU: on the host kernels are compiled with the rest");
#endif
}
