// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abax' own peers: the hand-written kernels with the tile of Abax' plan, and plain copies.
#include <Kokkos_Core.hpp>
#include <abax/stream.hpp>
#include <cstdint>
#include <string_view>

#include "peers.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "abax/detail/launch/gemm_def.hpp"
#include "handwritten/handwritten.hpp"
#endif

namespace abax::perf {
namespace {

/// As many bytes moved as a transpose moves, in order.
template <class T>
class host_copy final : public routines<T> {
 public:
  bool transpose(char, index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    using memory = Kokkos::DefaultHostExecutionSpace::memory_space;
    using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    if (lda != m || ldb != n) return false;
    const auto size = static_cast<std::size_t>(m * n);
    abax::copy(Kokkos::DefaultHostExecutionSpace(), Kokkos::View<const T*, memory, unmanaged>(a, size),
               Kokkos::View<T*, memory, unmanaged>(b, size));
    return true;
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <class T>
class device_copy final : public routines<T> {
 public:
  bool transpose(char, index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    return lda == m && ldb == n && copy(m * n, a, b);
  }
  bool copy(index_t n, const T* x, T* y) const override {
    return cudaMemcpyAsync(y, x, sizeof(T) * n, cudaMemcpyDeviceToDevice, Kokkos::Cuda().cuda_stream()) == cudaSuccess;
  }
};

/// The hand-written kernels, with the tile and the teams along k that Abax' plan has: what portability costs. None
/// where the row that is chosen has no twin, and for operands that are scaled, have gaps or do not lie on 16 bytes.
template <class T>
class twin final : public routines<T> {
 public:
  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda, const T* b,
            index_t ldb, T beta, T* c, index_t ldc) const override {
    if (alpha != 1 || beta != 0 || lda != (trans_a == 'N' ? m : k) || ldb != (trans_b == 'N' ? k : n) || ldc != m)
      return false;
    const tile::product<T> problem{stored(trans_a, m, k, a), stored(trans_b, k, n, b), {c, m, n, 1, m}, {}};
    const auto plan = choose<launch::shape::matrix>(problem);
    if (lda % wide != 0 || ldb % wide != 0 || !on_chunks(a, b, c)) return false;
    if (!plan || plan->row->name != std::string_view(sizeof(T) == 4 ? "128x64x16" : "128x128x16 on tensor cores"))
      return false;
    const tile::product_tile& size = plan->tile;
    const auto splits = static_cast<int>(plan->cut.splits), whole = static_cast<int>(plan->cut.whole);
    const index_t shared = plan->cut.shared_of(launch::tiles_of(problem, size));
    const workspace work = room(splits, shared * size.rows * size.cols * tile::canon_blocks(k), shared);
    handwritten::matrix_product_tuned(handwritten::tuned_product<T>{trans_a, trans_b, m, n, k, a, lda, b, ldb, c, m,
                                                                    splits, whole, work.sums, work.arrivals},
                                      stream());
    return true;
  }
  bool gemv(char trans, index_t m, index_t n, T alpha, const T* a, index_t lda, const T* x, T beta,
            T* y) const override {
    if (alpha != 1 || beta != 0 || lda != m || m % wide != 0 || n % wide != 0 || !on_chunks(a, x, y)) return false;
    const index_t outputs = trans == 'N' ? m : n, terms = trans == 'N' ? n : m;
    const tile::product<T> problem{
        stored(trans, outputs, terms, a), {x, terms, 1, 1, terms}, {y, outputs, 1, 1, outputs}, {}};
    const auto plan = choose<launch::shape::vector>(problem);
    if (!plan) return false;
    const std::string_view row = plan->row->name;
    const bool in_registers = row == "columns in registers";
    if (!in_registers && row != (trans == 'N' ? "128 rows" : "32 rows")) return false;
    const int rows = plan->tile.rows, splits = static_cast<int>(plan->cut.splits);
    const index_t tiles = tile::ceil_div<index_t>(outputs, rows);
    const workspace work = room(splits, tiles * rows * tile::canon_blocks(terms), tiles);
    // There, rows are contiguous.
    if (in_registers)
      handwritten::vector_matrix_registers(n, m, a, m, x, y, splits, work.sums, work.arrivals, stream());
    else if (trans == 'N')
      handwritten::vector_matrix_ring(n, m, a, m, x, y, splits, work.sums, work.arrivals, stream());
    else
      handwritten::matrix_vector_ring(n, m, a, m, x, y, splits, work.sums, work.arrivals, stream());
    return true;
  }
  bool transpose(char, index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    if (lda != m || ldb != n || m % wide != 0 || n % wide != 0 || !on_chunks(a, b)) return false;
    handwritten::transpose_wide(n, m, a, m, b, n, stream());  // there, rows are contiguous
    return true;
  }
  bool launch(index_t teams, T* x) const override {
    handwritten::number_blocks(teams, x, stream());
    return true;
  }

 private:
  static constexpr index_t wide = 16 / sizeof(T);  // elements of the twins' loads
  static cudaStream_t stream() { return Kokkos::Cuda().cuda_stream(); }
  static bool on_chunks(const auto*... x) { return ((reinterpret_cast<std::uintptr_t>(x) % 16 == 0) && ...); }

  /// op(A), rows x cols, of a column-major A.
  static tile::matrix<const T> stored(char trans, index_t rows, index_t cols, const T* a) {
    return trans == 'N' ? tile::matrix<const T>{a, rows, cols, 1, rows} : tile::matrix<const T>{a, rows, cols, cols, 1};
  }

  template <launch::shape Kind>
  static auto choose(const tile::product<T>& problem) {
    using backend_type = backends::backend_for_t<Kokkos::Cuda>;
    return launch::choose<backend_type, Kind>(problem, backend_type::machine(Kokkos::Cuda()));
  }

  struct workspace {
    T* sums;
    unsigned* arrivals;
  };
  /// Kept for the next call, whose launch comes after this one's.
  workspace room(int splits, index_t sums, index_t arrivals) const {
    if (splits == 1) return {nullptr, nullptr};
    if (static_cast<index_t>(sums_.extent(0)) < sums) Kokkos::realloc(Kokkos::WithoutInitializing, sums_, sums);
    if (static_cast<index_t>(arrivals_.extent(0)) < arrivals) Kokkos::realloc(arrivals_, arrivals);
    return {sums_.data(), arrivals_.data()};
  }
  mutable Kokkos::View<T*, Kokkos::Cuda> sums_{"sums", 0};
  mutable Kokkos::View<unsigned*, Kokkos::Cuda> arrivals_{"arrivals", 0};
};
#endif

template <template <class> class Routines>
finding found(const char* name, const char* version, bool same_result) {
  return {peer{name, version, same_result, real_routines<Routines>()}, ""};
}

}  // namespace

#if defined(KOKKOS_ENABLE_CUDA)
finding find_twins(backend where, const std::string&) {
  if (where == backend::host) return {};
  return found<twin>("twin", "hand-written kernels with the same tiles", true);
}
finding find_copy(backend where, const std::string&) {
  if (where == backend::device) return found<device_copy>("copy", "cudaMemcpyAsync", false);
  return found<host_copy>("copy", "abax::copy", false);
}
#else
finding find_twins(backend, const std::string&) { return {}; }
finding find_copy(backend, const std::string&) { return found<host_copy>("copy", "abax::copy", false); }
#endif

}  // namespace abax::perf
