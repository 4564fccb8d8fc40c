// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products.hpp"

#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <abax/gemm_integer.hpp>
#include <string>

namespace abax::perf::accuracy {
namespace {

template <class Exec, class T>
class placed_products final : public products<T> {
 public:
  placed_products(index_t m, index_t n, index_t k, const std::vector<T>& a, const std::vector<T>& b)
      : a_(placed("A", m, k, a)), b_(placed("B", k, n, b)), c_("C", a_.extent(0), b_.extent(1)) {}

  std::vector<T> gemm() override {
    abax::gemm(exec_, "N", "N", T(1), a_, b_, T(0), c_);
    return result();
  }
  std::vector<T> gemm_integer(int bits) override {
    abax::gemm_integer(exec_, "N", "N", T(1), a_, b_, T(0), c_, {.bits = bits});
    return result();
  }
  std::vector<T> gemm_of(const peer& other) override {
    const auto m = static_cast<index_t>(a_.extent(0)), k = static_cast<index_t>(a_.extent(1));
    const auto n = static_cast<index_t>(b_.extent(1));
    if (!other.of<T>().gemm('N', 'N', m, n, k, T(1), a_.data(), m, b_.data(), k, T(0), c_.data(), m)) return {};
    return result();
  }

 private:
  using matrix = Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using values_on_host = Kokkos::View<const T**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  static matrix placed(const std::string& name, index_t rows, index_t cols, const std::vector<T>& values) {
    matrix made(name, static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
    Kokkos::deep_copy(made, values_on_host(values.data(), made.extent(0), made.extent(1)));
    return made;
  }
  std::vector<T> result() const {
    exec_.fence();
    const Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> values("abax-perf::accuracy result", c_.extent(0),
                                                                          c_.extent(1));
    Kokkos::deep_copy(values, c_);
    return {values.data(), values.data() + values.size()};
  }

  Exec exec_;
  matrix a_, b_, c_;
};

}  // namespace

template <class T>
std::unique_ptr<products<T>> place(backend where, index_t m, index_t n, index_t k, const std::vector<T>& a,
                                   const std::vector<T>& b) {
  using host = Kokkos::DefaultHostExecutionSpace;
  using device = Kokkos::DefaultExecutionSpace;  // the host's again where there is no GPU
  if (where == backend::host) return std::make_unique<placed_products<host, T>>(m, n, k, a, b);
  return std::make_unique<placed_products<device, T>>(m, n, k, a, b);
}

template std::unique_ptr<products<float>> place(backend, index_t, index_t, index_t, const std::vector<float>&,
                                                const std::vector<float>&);
template std::unique_ptr<products<double>> place(backend, index_t, index_t, index_t, const std::vector<double>&,
                                                 const std::vector<double>&);

}  // namespace abax::perf::accuracy
