// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of C++ where memory or threads run out: Kokkos' own threads run, and errors are exceptions.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <abax/epilogue.hpp>
#include <array>
#include <new>

#include "trial.hpp"

using namespace abax::tests::faults;

namespace {

using space = Kokkos::DefaultHostExecutionSpace;
template <class T>
using matrix = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
template <class T>
using vector = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class Call>
trial function(const char* name, std::size_t a, std::size_t b, std::size_t c, const Call& call) {
  return {name, a, b, c, [=](const double* x, const double* y, double* z) {
            try {
              call(x, y, z);
              return true;
            } catch (const std::bad_alloc&) {
            } catch (const abax::resource_error&) {
            }
            return false;
          }};
}

std::vector<trial> trials() {
  using in = const double*;
  using out = double*;
  std::vector<trial> all = {
      function("gemm", 300 * 250, 250 * 200, 300 * 200,
               [](in a, in b, out c) {
                 abax::gemm(space(), "N", "N", 1.5, matrix<const double>(a, 300, 250),
                            matrix<const double>(b, 250, 200), 0.5, matrix<double>(c, 300, 200));
               }),
      function("gemm with an epilogue", 300 * 250, 250 * 200, 300 * 200,
               [](in a, in b, out c) {
                 abax::gemm(space(), "N", "N", 1.5, matrix<const double>(a, 300, 250),
                            matrix<const double>(b, 250, 200), 0.5, matrix<double>(c, 300, 200),
                            abax::epilogue::row_bias(vector<const double>(a, 300)));
               }),
      function("gemv, few outputs", 60000 * 5, 60000, 5,
               [](in a, in x, out y) {
                 abax::gemv(space(), "T", 1.5, matrix<const double>(a, 60000, 5), vector<const double>(x, 60000), 0.5,
                            vector<double>(y, 5));
               }),
      function("dot to the host", 200000, 200000, 1,
               [](in x, in y, out c) {
                 c[0] = abax::dot(space(), vector<const double>(x, 200000), vector<const double>(y, 200000));
               }),
      function("batch of two shapes", 40 * 6400, 40 * 6400, 40 * 6400,
               [](in a, in b, out c) {
                 std::array<abax::gemm_item<double>, 40> items;
                 for (int i = 0; i < 40; ++i) {
                   const int m = i % 2 == 0 ? 80 : 60, at = i * 6400;
                   items[static_cast<std::size_t>(i)] = {a + at, b + at, c + at, m, 80, 80, 80, 80, 80};
                 }
                 abax::gemm_batched<space, double>(space(), "N", "N", 1.5, items.data(), 0.5, 40);
               }),
      function("transpose in place", 1, 1, 400 * 400,
               [](in, in, out c) { abax::transpose(space(), matrix<double>(c, 400, 400)); }),
      function("integers, in blocks", 130 * 300, 300 * 150, 130 * 150,
               [](in a, in b, out c) {
                 abax::gemm_integer(space(), "N", "N", 1.5, matrix<const double>(a, 130, 300),
                                    matrix<const double>(b, 300, 150), 0.5, matrix<double>(c, 130, 150),
                                    {.workspace = 1 << 20});
               }),
      function("integers, verified", 130 * 300, 300 * 150, 130 * 150,
               [](in a, in b, out c) {
                 abax::gemm_integer(space(), "N", "N", 1.5, matrix<const double>(a, 130, 300),
                                    matrix<const double>(b, 300, 150), 0.5, matrix<double>(c, 130, 150),
                                    {.workspace = 1 << 20, .verify = true});
               }),
      function("integers that are lost", 130 * 300, 1, 1,
               [](in a, in, out c) {
                 c[0] = double(abax::gemm_integer_lost(space(), "L", "N", matrix<const double>(a, 130, 300)));
               }),
  };
  // What headers say of calls that are several launches.
  for (trial& t : all) {
    if (t.name == "batch of two shapes") side_by_side(t, 6400);
  }
  return all;
}

}  // namespace

int main() {
  caller by_spaces;
  by_spaces.begin = [] { Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true)); };
  by_spaces.end = [] { Kokkos::finalize(); };
  return run(trials(), by_spaces) ? 0 : 1;
}
