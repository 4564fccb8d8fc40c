// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of docs/epilogues.md, as it stands there.
#include <abax/epilogue.hpp>
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"

namespace page {

#include "epilogues.hpp"  // made of the text's blocks

}  // namespace page

TEST_CASE("The page on functors computes a layer and its mask", "[epilogue]") {
  using abax::tests::bits_of;
  const int m = 70, n = 33, k = 51;
  const page::matrix W("W", m, k), X("X", k, n), Y("Y", m, n), Z("Z", m, n);
  const Kokkos::View<float*> b("b", m);
  const Kokkos::View<bool**, Kokkos::LayoutLeft> mask("mask", m, n);
  abax::tests::random_bits random(5);
  const auto fill = [&](const auto& view) {
    const auto host = Kokkos::create_mirror_view(view);
    for (std::size_t e = 0; e < host.size(); ++e) host.data()[e] = random.unit<float>();
    Kokkos::deep_copy(view, host);
  };
  fill(W);
  fill(X);
  fill(b);
  page::layer(W, X, b, Y, mask);
  abax::gemm("N", "N", 1, W, X, 0, Z);
  Kokkos::fence();
  const auto on_host = [](const auto& view) { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view); };
  const auto y = on_host(Y), z = on_host(Z);
  const auto bias = on_host(b);
  const auto positive = on_host(mask);
  int wrong = 0, kept = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const float value = z(i, j) + bias(i), want = value > 0 ? value : 0;
      wrong += bits_of(float(y(i, j))) != bits_of(want) || positive(i, j) != (value > 0);
      kept += value > 0;
    }
  CHECK(wrong == 0);
  CHECK(kept > m * n / 4);
  CHECK(kept < m * n * 3 / 4);
}
