// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm on a device: whether it pays, in how many pieces.
#include <algorithm>
#include <optional>

#include "../c/verbose.hpp"
#include "call.hpp"
#include "device.hpp"
#include "lanes.hpp"
#include "staged_product.hpp"

namespace abax::blas::device {
namespace {

template <class T>
void on_host(const problem<T>& p) {
  abax_stream* const stream = host_stream();
  require_success(gemm_by_columns(stream, p.turned, p.a.trans, p.b.trans, p.m, p.n, p.k, p.alpha, p.a.data, p.a.ld,
                                  p.b.data, p.b.ld, p.beta, p.c.data, p.c.ld),
                  stream, "gemm");
}

/// The product in one go, or in halves where the device lacks memory, or on the host where it lacks even that for them.
template <class T>
void in_pieces(lane& mine, const problem<T>& p) {
  std::optional<staged_product<T>> whole;
  try {
    whole.emplace(mine, p);
  } catch (const std::bad_alloc&) {
  }
  if (whole) return whole->run();
  constexpr std::int64_t least = 512;
  if (std::max(p.m, p.n) <= least) {
    for (const residence lies : {p.a.lies, p.b.lies, p.c.lies})
      if (cuda::is_on_a_device(lies)) throw std::bad_alloc();
    return on_host(p);
  }
  problem<T> first = p, second = p;
  if (p.m > p.n) {
    first.m = pieces(p.m, (p.m + 1) / 2).step;
    second.m -= first.m;
    second.a.data = p.a.at(first.m, 0);
    second.c.data = p.c.at(first.m, 0);
  } else {
    first.n = pieces(p.n, (p.n + 1) / 2).step;
    second.n -= first.n;
    second.b.data = p.b.at(0, first.n);
    second.c.data = p.c.at(0, first.n);
  }
  in_pieces(mine, first);
  in_pieces(mine, second);
}

/// Whether copies there and back, which hide the device's work, take less time than the host's work. The rate of a
/// core for real numbers, of copies by a core and by the device, and the time of anything at all, measured beside an
/// H200.
template <class T>
bool pays(std::int64_t m, std::int64_t n, std::int64_t k, bool reads_c, bool any_pageable) {
  return portable::under_ieee([&] {
    const double core = sizeof(real_of<T>) == 4 ? 60e9 : 35e9, copy = 5e9, bus = 40e9, least = 400e-6,
                 threads = threads_here();
    const double elements = double(m) * k + double(k) * n + (reads_c ? 2.0 : 1.0) * m * n;
    const double rate = any_pageable ? std::min(bus, copy * threads) : bus;
    return (is_complex<T> ? 8.0 : 2.0) * m * n * k / (core * threads) > least + sizeof(T) * elements / rate;
  });
}

}  // namespace

template <class T>
bool gemm(bool turned, char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  const target chosen = target_of_call();
  if (chosen == target::host) return false;
  const bool multiplies = !is_zero(alpha) && k != 0, transposed_a = transposes(trans_a),
             transposed_b = transposes(trans_b);
  const auto lies = [](const T* x, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    return where(x, x + rows - 1 + (cols - 1) * ld);
  };
  const residence of_c = lies(c, m, n, ldc);
  const residence of_a = !multiplies ? of_c : lies(a, transposed_a ? k : m, transposed_a ? m : k, lda);
  const residence of_b = !multiplies ? of_c : lies(b, transposed_b ? n : k, transposed_b ? k : n, ldb);
  const auto all_of = {of_a, of_b, of_c};
  const bool any_on_device = std::any_of(all_of.begin(), all_of.end(), cuda::is_on_a_device);
  if (!any_on_device) {
    const bool any_pageable = std::count(all_of.begin(), all_of.end(), residence::pageable) > 0;
    if (!multiplies) return false;
    if (chosen == target::automatic && !pays<T>(m, n, k, !is_zero(beta), any_pageable)) return false;
  }
  return or_end("gemm", [&] {
    const bool all_here = std::count(all_of.begin(), all_of.end(), residence::here) == 3;
    std::optional<turn> mine;
    try {
      mine.emplace();
      if (!all_here && !(*mine)->copies) (*mine)->copies.emplace();
    } catch (const std::bad_alloc&) {
      if (any_on_device) throw;
      return false;
    }
    if (all_here) {
      const lane::queue& queue = (*mine)->queues[0];
      require_success(
          gemm_by_columns(queue.stream, turned, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),
          queue.stream, "gemm");
      cuda::check(cudaStreamSynchronize(queue.native), "cudaStreamSynchronize");
      return true;
    }
    if (c::told_call* const told = c::call_being_told()) told->staged = true;
    const operand_matrix<const T> A{a, lda, trans_a, of_a}, B{b, ldb, trans_b, of_b};
    in_pieces<T>(**mine, problem<T>{turned, m, n, multiplies ? k : 0, alpha, A, B, beta, {c, ldc, 'N', of_c}});
    return true;
  });
}

template bool gemm(bool, char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                   const float*, std::int64_t, float, float*, std::int64_t);
template bool gemm(bool, char, char, std::int64_t, std::int64_t, std::int64_t, double, const double*, std::int64_t,
                   const double*, std::int64_t, double, double*, std::int64_t);
template bool gemm(bool, char, char, std::int64_t, std::int64_t, std::int64_t, tile::complex<float>,
                   const tile::complex<float>*, std::int64_t, const tile::complex<float>*, std::int64_t,
                   tile::complex<float>, tile::complex<float>*, std::int64_t);
template bool gemm(bool, char, char, std::int64_t, std::int64_t, std::int64_t, tile::complex<double>,
                   const tile::complex<double>*, std::int64_t, const tile::complex<double>*, std::int64_t,
                   tile::complex<double>, tile::complex<double>*, std::int64_t);

}  // namespace abax::blas::device
