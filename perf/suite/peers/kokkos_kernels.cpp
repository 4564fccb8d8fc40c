// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels as a peer, on the host and on the GPU: only in builds that found it.
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas2_gemv.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>

#include "peers.hpp"

namespace abax::perf {
namespace {

template <class Exec, class T>
class kokkos_kernels final : public routines<T> {
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  template <class U>
  static auto matrix(U* data, index_t rows, index_t cols, index_t leading) {
    const Kokkos::View<U**, Kokkos::LayoutLeft, memory, unmanaged> all(data, leading, cols);
    return Kokkos::subview(all, Kokkos::pair<index_t, index_t>(0, rows), Kokkos::ALL);
  }
  template <class U>
  using vector = Kokkos::View<U*, memory, unmanaged>;

 public:
  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda, const T* b,
            index_t ldb, T beta, T* c, index_t ldc) const override {
    const index_t rows_a = trans_a == 'N' ? m : k, rows_b = trans_b == 'N' ? k : n;
    const char a_is[] = {trans_a, 0}, b_is[] = {trans_b, 0};
    KokkosBlas::gemm(Exec(), a_is, b_is, alpha, matrix<const T>(a, rows_a, m + k - rows_a, lda),
                     matrix<const T>(b, rows_b, k + n - rows_b, ldb), beta, matrix<T>(c, m, n, ldc));
    return true;
  }
  bool gemv(char trans, index_t m, index_t n, T alpha, const T* a, index_t lda, const T* x, T beta,
            T* y) const override {
    const char a_is[] = {trans, 0};
    KokkosBlas::gemv(Exec(), a_is, alpha, matrix<const T>(a, m, n, lda), vector<const T>(x, trans == 'N' ? n : m), beta,
                     vector<T>(y, trans == 'N' ? m : n));
    return true;
  }
  bool dot(index_t n, const T* x, const T* y, T* result) const override {
    KokkosBlas::dot(Exec(), Kokkos::View<T, memory, unmanaged>(result), vector<const T>(x, n), vector<const T>(y, n));
    return true;
  }
};

template <class Exec>
struct routines_on {
  template <class T>
  using type = kokkos_kernels<Exec, T>;
};
template <class Exec>
peer on() {
  return {"Kokkos Kernels", ABAX_KOKKOS_KERNELS, true, real_routines<routines_on<Exec>::template type>()};
}

[[maybe_unused]] const bool added = set_library("kokkos-kernels", [](backend where, const std::string&) -> finding {
  return {where == backend::host ? on<Kokkos::DefaultHostExecutionSpace>() : on<Kokkos::DefaultExecutionSpace>(), ""};
});

}  // namespace
}  // namespace abax::perf
