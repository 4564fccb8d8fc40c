// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A product of matrices that lie on the host, cut into blocks: some are computed while others come and go.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "abax/detail/tile/canon_block.hpp"
#include "arguments.hpp"
#include "lanes.hpp"

namespace abax::blas::device {

/// Threads that a parallel region of the calling one would have.
inline int threads_here() { return omp_get_active_level() < omp_get_max_active_levels() ? omp_get_max_threads() : 1; }

/// An extent cut into `count` pieces of `step`, the last of which may be shorter.
struct pieces {
  std::int64_t extent, step, count;

  pieces(std::int64_t whole, std::int64_t most) : extent(whole) {
    const std::int64_t wanted = (whole + most - 1) / most, each = (whole + wanted - 1) / wanted;
    step = (each + 127) / 128 * 128;
    count = (whole + step - 1) / step;
  }
  std::int64_t first(std::int64_t i) const { return i * step; }
  std::int64_t size(std::int64_t i) const { return std::min(step, extent - i * step); }
};

/// A column-major matrix X as its owner keeps it.
template <class T>
struct operand_matrix {
  T* data;
  std::int64_t ld;
  char trans;
  residence lies;

  /// Where element (i, j) of op(X) lies.
  T* at(std::int64_t i, std::int64_t j) const { return data + (transposes(trans) ? j + i * ld : i + j * ld); }
};

/// What gemm_by_columns computes.
template <class T>
struct problem {
  bool turned;
  std::int64_t m, n, k;
  T alpha;
  operand_matrix<const T> a, b;
  T beta;
  operand_matrix<T> c;
};

/// A product in blocks of C by groups of terms. Blocks arrive in the order in which they let the most be computed:
/// those of the first groups all at once for all of C, those of the last one C's block by block, so that C is copied
/// back while the rest comes. What is computed for a block of C is its total, over one block of the canon after the
/// other: adding a product of one of them with alpha = beta = 1 joins its sum as the canon does, of real numbers. Of
/// complex ones that would multiply, and an infinite part make a NaN of the other: they are joined part by part. The
/// epilogue comes last.
template <class T>
class staged_product {
 public:
  /// Throws std::bad_alloc without memory for it; nothing has happened then.
  staged_product(lane& mine, const problem<T>& p)
      : lane_(mine),
        p_(p),
        rows_(p.m, 8192),
        cols_(p.n, 512),
        groups_(groups_of(p)),
        apart_(p.k > canon_block && !(is_one(p.alpha) && is_zero(p.beta))),
        a_(rows_.count * group_count()),
        b_(cols_.count * group_count()),
        c_(rows_.count * cols_.count),
        totals_(apart_ ? c_.size() : 0),
        sums_(joins_parts() ? mine.queues.size() : 0) {
    if ((apart_ || joins_parts()) && p_.c.lies == residence::here)
      p_.c.lies = residence::linked;  // its blocks must lie close for axpby
    staging_.emplace(*mine.copies);
    for_each_task([&](std::int64_t i, std::int64_t j, std::int64_t g) { plan(i, j, g); });
    for (device_block& sum : sums_) reserve(sum, rows_.size(0), cols_.size(0));
    std::byte* const memory = mine.memory.reserve(bytes_);
    for (auto* blocks : {&a_, &b_, &c_, &totals_, &sums_})
      for (device_block& at : *blocks)
        if (at.offset >= 0) at.data = reinterpret_cast<T*>(memory + at.offset);
    for (const arrival& next : arrivals_) next.to->block = bring(next);
  }

  void run() {
    c::watch_forks();
    const bool alone = p_.a.lies != residence::pageable && p_.b.lies != residence::pageable &&
                       p_.c.lies != residence::pageable;  // the device copies everything by itself
    std::exception_ptr error;
#pragma omp parallel num_threads(alone ? 1 : threads_here())
    {
      const std::size_t self = omp_get_thread_num();
      if (self == 0) {  // the calling thread, whose device is the right one
        try {
          for_each_task([&](std::int64_t i, std::int64_t j, std::int64_t g) { compute(i, j, g); });
          staging_->finish();
        } catch (...) {
          error = std::current_exception();
          staging_->abandon();
        }
      } else if (self < most_helpers) {
        help(self);
      }
    }
    for (const lane::queue& queue : lane_.queues) {
      const cudaError_t status = cudaStreamSynchronize(queue.native);
      if (error == nullptr) cuda::check(status, "cudaStreamSynchronize");
    }
    if (error != nullptr) std::rethrow_exception(error);
  }

 private:
  static constexpr std::size_t most_helpers = 16;
  static constexpr std::int64_t canon_block = tile::canon_block_of<T>;

  /// Where a block is on the device.
  struct device_block {
    T* data = nullptr;
    std::int64_t ld = 0, offset = -1;  // bytes in the arena; -1: not there
    int block = -1;                    // what it is called where it arrives; -1: nothing to wait for
    bool planned = false;
  };
  struct arrival {
    device_block* to;
    operand_matrix<const T> from;  // from its first element on
    std::int64_t rows, cols;       // as it lies
  };

  /// Where groups of terms begin and end. The last one's blocks take about as long to come as C does to go: until then
  /// C is computed all over, two blocks of the canon at a time; in it, block by block to its end. (Lines of two blocks
  /// are 32 KB of doubles: shorter ones the device copies more slowly.)
  static std::vector<std::int64_t> groups_of(const problem<T>& p) {
    const std::int64_t blocks = std::max<std::int64_t>(1, (p.k + canon_block - 1) / canon_block);
    const std::int64_t there_and_back = (p.m * p.n / (p.m + p.n) + canon_block - 1) / canon_block;
    const std::int64_t last = std::clamp<std::int64_t>(there_and_back, 1, std::min<std::int64_t>(blocks, 16));
    std::vector<std::int64_t> ends;
    for (std::int64_t block = 0; block <= blocks - last; block += 2) ends.push_back(block * canon_block);
    ends.push_back(p.k);
    return ends;
  }
  std::int64_t group_count() const { return static_cast<std::int64_t>(groups_.size()) - 1; }
  bool is_last(std::int64_t g) const { return g == group_count() - 1; }
  bool joins_parts() const { return is_complex<T> && p_.k > canon_block; }

  /// visit(i, j, group), in the order of the work: rows and columns of blocks in turn, each with what is there already.
  template <class Visit>
  void for_each_task(const Visit& visit) const {
    for (std::int64_t g = 0; g < group_count(); ++g)
      for (std::int64_t i = 0, j = 0; i < rows_.count || j < cols_.count;) {
        if (j == cols_.count || (i < rows_.count && i * cols_.count <= j * rows_.count)) {
          for (std::int64_t other = 0; other < j; ++other) visit(i, other, g);
          ++i;
        } else {
          for (std::int64_t other = 0; other < i; ++other) visit(other, j, g);
          ++j;
        }
      }
  }

  device_block& a(std::int64_t i, std::int64_t g) { return a_[g * rows_.count + i]; }
  device_block& b(std::int64_t g, std::int64_t j) { return b_[g * cols_.count + j]; }
  device_block& c(std::int64_t i, std::int64_t j) { return c_[j * rows_.count + i]; }
  device_block& total(std::int64_t i, std::int64_t j) { return totals_[j * rows_.count + i]; }

  void plan(std::int64_t i, std::int64_t j, std::int64_t g) {
    const std::int64_t first = groups_[g], terms = groups_[g + 1] - first, m = rows_.size(i), n = cols_.size(j);
    plan(a(i, g), p_.a, rows_.first(i), first, m, terms, true);
    plan(b(g, j), p_.b, first, cols_.first(j), terms, n, true);
    if (apart_) reserve(total(i, j), m, n);
    if (is_last(g) || !apart_) {
      const operand_matrix<const T> whole{p_.c.data, p_.c.ld, p_.c.trans, p_.c.lies};
      plan(c(i, j), whole, rows_.first(i), cols_.first(j), m, n, !is_zero(p_.beta));
    }
  }
  void plan(device_block& at, const operand_matrix<const T>& x, std::int64_t i, std::int64_t j, std::int64_t rows,
            std::int64_t cols, bool reads) {
    if (at.planned) return;
    if (transposes(x.trans)) std::swap(rows, cols);
    const T* const data = x.at(i, j);
    if (x.lies == residence::here) {
      at = {const_cast<T*>(data), x.ld, -1, -1, true};
    } else {
      reserve(at, rows, cols);
      if (reads) arrivals_.push_back({&at, {data, x.ld, x.trans, x.lies}, rows, cols});
    }
  }
  void reserve(device_block& at, std::int64_t rows, std::int64_t cols) {
    if (at.planned) return;
    constexpr std::int64_t line = 128 / sizeof(T);
    at = {nullptr, (rows + line - 1) / line * line, bytes_, -1, true};
    bytes_ += static_cast<std::int64_t>(sizeof(T)) * at.ld * cols;
  }
  int bring(const arrival& next) {
    const std::size_t length = sizeof(T) * next.rows;
    return staging_->bring(lines_of(next.from.data, length, next.cols, sizeof(T) * next.from.ld),
                           lines_of(next.to->data, length, next.cols, sizeof(T) * next.to->ld),
                           cuda::is_copied_directly(next.from.lies));
  }

  void await(const device_block& at, const lane::queue& queue) {
    if (at.block >= 0) staging_->await(at.block, queue.native);
  }

  void compute(std::int64_t i, std::int64_t j, std::int64_t g) {
    const std::size_t q = (i + j) % lane_.queues.size();
    const lane::queue& queue = lane_.queues[q];
    const std::int64_t m = rows_.size(i), n = cols_.size(j);
    await(a(i, g), queue);
    await(b(g, j), queue);
    device_block& C = c(i, j);
    if (p_.k <= canon_block) {
      await(C, queue);
      multiply(queue, i, j, g, 0, p_.k, p_.alpha, p_.beta, C);
    } else {
      const device_block& sum = apart_ ? total(i, j) : C;
      for (std::int64_t first = groups_[g]; first < groups_[g + 1]; first += canon_block) {
        const std::int64_t terms = std::min(canon_block, p_.k - first);
        if (first == 0) {
          multiply(queue, i, j, g, first, terms, T{1}, T{}, sum);
        } else if constexpr (is_complex<T>) {
          device_block next = sums_[q];
          next.ld = sum.ld;
          multiply(queue, i, j, g, first, terms, T{1}, T{}, next);
          using Real = real_of<T>;
          require(queue, interface<Real>::axpby(queue.stream, 2 * (sum.ld * (n - 1) + m), Real(1), &next.data->re, 1,
                                                Real(1), &sum.data->re, 1));
        } else {
          multiply(queue, i, j, g, first, terms, T{1}, T{1}, sum);
        }
      }
      if (apart_ && is_last(g)) {
        await(C, queue);  // what lies between columns is computed with them, and stays here
        require(queue, interface<T>::axpby(queue.stream, C.ld * (n - 1) + m, p_.alpha, total(i, j).data, 1, p_.beta,
                                           C.data, 1));
      }
    }
    if (!is_last(g) || p_.c.lies == residence::here) return;
    const std::size_t length = sizeof(T) * m;
    staging_->take_back(lines_of(C.data, length, n, sizeof(T) * C.ld),
                        lines_of(p_.c.at(rows_.first(i), cols_.first(j)), length, n, sizeof(T) * p_.c.ld),
                        cuda::is_copied_directly(p_.c.lies), queue.native);
  }
  /// C's block <- alpha op(A) op(B) + beta C's block over `terms` terms from `first` on.
  void multiply(const lane::queue& queue, std::int64_t i, std::int64_t j, std::int64_t g, std::int64_t first,
                std::int64_t terms, T alpha, T beta, const device_block& C) {
    const device_block &A = a(i, g), &B = b(g, j);
    const std::int64_t p = first - groups_[g];
    require(queue, gemm_by_columns<T>(queue.stream, p_.turned, p_.a.trans, p_.b.trans, rows_.size(i), cols_.size(j),
                                      terms, alpha, A.data + (transposes(p_.a.trans) ? p : p * A.ld), A.ld,
                                      B.data + (transposes(p_.b.trans) ? p * B.ld : p), B.ld, beta, C.data, C.ld));
  }
  static void require(const lane::queue& queue, abax_status status) {
    if (status != ABAX_SUCCESS) throw std::runtime_error(abax_message(queue.stream));
  }

  void help(std::size_t self) noexcept {
    try {
      const cuda::current_device current(turn::ordinal());
      if (cuda::piece_pair* const mine = lane_.copies->pieces(self)) staging_->help(*mine);
    } catch (const std::exception&) {  // then there is one less to help
    }
  }

  lane& lane_;
  problem<T> p_;
  pieces rows_, cols_;
  std::vector<std::int64_t> groups_;
  bool apart_;  // totals are not C itself
  std::vector<device_block> a_, b_, c_, totals_;
  std::vector<device_block> sums_;  // of one block of the canon, by queue, before they are joined
  std::vector<arrival> arrivals_;
  std::int64_t bytes_ = 0;
  std::optional<cuda::staging> staging_;
};

}  // namespace abax::blas::device
