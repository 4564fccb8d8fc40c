// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/device.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/staging.hpp"
#include "blas/backend.hpp"
#include "blas/call.hpp"
#include "blas/routines.hpp"
#include "c/start.hpp"
#include "tile/canon_block.hpp"

namespace abax::blas::device {
namespace {

using cuda::lines;
using cuda::residence;

/// What calls need of the device, kept from one to the next: a call takes one, and has it for itself.
struct lane {
  struct queue {
    cuda::owned_stream native;
    abax_stream* stream = nullptr;
    queue() {
      const abax_status status = abax_open(ABAX_DEVICE, native, ABAX_TRUST_OPERANDS, &stream);
      if (status == ABAX_OUT_OF_RESOURCES) throw std::bad_alloc();
      if (status != ABAX_SUCCESS) throw std::runtime_error(abax_status_text(status));
    }
    ~queue() { abax_close(stream); }
  };
  std::array<queue, 2> queues;
  cuda::arena memory;
  std::optional<cuda::staging_resources> copies;
};

class lanes {
 public:
  static lane* take() {
    lanes& all = instance();
    std::unique_lock lock(all.mutex_);
    if (all.idle_.empty() && all.made_ < all.most_) {
      try {
        all.idle_.push_back(new lane);  // under the lock: Kokkos makes one instance at a time
        ++all.made_;
      } catch (const std::bad_alloc&) {
        if (all.made_ == 0) throw;
        all.most_ = all.made_;
      }
    }
    all.returned_.wait(lock, [&] { return !all.idle_.empty(); });
    lane* const taken = all.idle_.back();
    all.idle_.pop_back();
    return taken;
  }
  static void give_back(lane* mine) {
    lanes& all = instance();
    const std::lock_guard lock(all.mutex_);
    all.idle_.push_back(mine);
    all.returned_.notify_one();
  }

 private:
  // Kept for ever: CUDA may be gone when the program's static variables go.
  static lanes& instance() {
    static lanes& all = *new lanes;
    return all;
  }
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<lane*> idle_;
  std::size_t made_ = 0, most_ = 4;
};

/// A lane for a scope, on whose device the thread works meanwhile.
class turn {
 public:
  turn() : current_(ordinal()), lane_(lanes::take()) {}
  ~turn() {
    lane_->memory.shrink();
    lanes::give_back(lane_);
  }
  turn(const turn&) = delete;
  lane* operator->() const { return lane_; }
  lane& operator*() const { return *lane_; }

  static int ordinal() {
    static const int device = c::device_ordinal();
    return device;
  }

 private:
  cuda::current_device current_;
  lane* lane_;
};

/// Where calls may compute: the chosen backend, but the host in a child that the device did not follow into, and when
/// the program ends.
backend backend_of_call() {
  const backend chosen = chosen_backend();
  return c::device_runs() ? chosen : backend::host;
}
residence where(const void* data) { return cuda::residence_of(data, turn::ordinal()); }
/// Of all that lies from `first` to `last`: an owner may have page-locked a part of it only.
residence where(const void* first, const void* last) {
  const residence begin = where(first);
  return begin == residence::linked && where(last) != begin ? residence::pageable : begin;
}

lines lines_of(const void* data, std::size_t length, std::size_t count, std::size_t pitch) {
  return {static_cast<std::byte*>(const_cast<void*>(data)), length, count, pitch};
}

/// work(), or the end of the program with what went wrong.
template <class Work>
auto or_end(const char* routine, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    end_program((std::string(routine) + ": no memory").c_str());
  } catch (const std::exception& error) {
    end_program((std::string(routine) + ": " + error.what()).c_str());
  }
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Routines that are over as soon as their operands have been read: brought, computed, taken back.

struct session::state {
  const char* routine;
  turn mine;
  std::byte* free_memory = nullptr;
  struct result {
    lines from, to;
  };
  std::vector<result> results;
};

session::session(std::unique_ptr<state> mine) : state_(std::move(mine)) {}
session::~session() = default;

std::unique_ptr<session> session::begin(const char* routine, std::initializer_list<operand> operands) {
  const backend chosen = backend_of_call();
  if (chosen == backend::host) return nullptr;
  bool any_on_device = false;
  std::size_t bytes = 0;
  for (const operand& o : operands) {
    const residence lies = where(o.data);
    any_on_device |= cuda::is_on_a_device(lies);
    if (lies != residence::here) bytes += (o.bytes + 255) / 256 * 256;
  }
  if (!any_on_device && chosen != backend::device) return nullptr;
  try {
    auto mine = std::make_unique<state>();
    mine->routine = routine;
    mine->free_memory = mine->mine->memory.reserve(bytes);
    return std::unique_ptr<session>(new session(std::move(mine)));
  } catch (const std::bad_alloc&) {
    if (any_on_device) end_program((std::string(routine) + ": no memory on the device").c_str());
    return nullptr;
  } catch (const std::exception& error) {
    end_program((std::string(routine) + ": " + error.what()).c_str());
  }
}

abax_stream* session::stream() const { return state_->mine->queues[0].stream; }

bool session::is_here(const void* data) const { return where(data) == residence::here; }

void* session::copy(const void* data, std::size_t length, std::size_t count, std::size_t pitch, access needed) {
  const lines there = lines_of(data, length, count, pitch);
  const lines here = lines_of(state_->free_memory, length, count, length);
  state_->free_memory += (length * count + 255) / 256 * 256;
  or_end(state_->routine, [&] {
    if (needed != access::write) cuda::copy_on(state_->mine->queues[0].native, there, here);
  });
  if (needed != access::read) state_->results.push_back({here, there});
  return here.data;
}

void session::finish() {
  or_end(state_->routine, [&] {
    const cudaStream_t stream = state_->mine->queues[0].native;
    for (const auto& [from, to] : state_->results) cuda::copy_on(stream, from, to);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
}

bool visit_on_host(void* data, std::size_t length, std::size_t count, std::size_t pitch,
                   const std::function<void(void*)>& visit) {
  if (backend_of_call() == backend::host || !cuda::is_on_a_device(where(data))) return false;
  or_end("copy to the host", [&] {
    const turn mine;
    const cudaStream_t stream = mine->queues[0].native;
    std::vector<std::byte> copy(length * count);
    const lines there = lines_of(data, length, count, pitch), here = lines_of(copy.data(), length, count, length);
    cuda::copy_on(stream, there, here);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    visit(copy.data());
    cuda::copy_on(stream, here, there);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// gemm

namespace {

using tile::canon_block;

/// Threads that a parallel region of the calling one would have.
int threads_here() { return omp_get_active_level() < omp_get_max_active_levels() ? omp_get_max_threads() : 1; }

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

/// A column-major matrix as its owner keeps it; op(X) is its transpose where it is turned.
template <class T>
struct operand_matrix {
  T* data;
  std::int64_t ld;
  bool turned;
  residence lies;

  T* at(std::int64_t i, std::int64_t j) const { return data + (turned ? j + i * ld : i + j * ld); }
};

template <class T>
struct problem {
  std::int64_t m, n, k;
  T alpha;
  operand_matrix<const T> a, b;
  T beta;
  operand_matrix<T> c;
};

/// A product in blocks of C by groups of terms. Blocks arrive in the order in which they let the most be computed: those
/// of the first groups all at once for all of C, those of the last one C's block by block, so that C goes home while
/// the rest comes. What is computed for a block of C is its total, over one block of the canon after the other:
/// adding a product of one of them with alpha = beta = 1 joins its sum as the canon does. The epilogue comes last.
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
        totals_(apart_ ? c_.size() : 0) {
    if (apart_ && p_.c.lies == residence::here) p_.c.lies = residence::linked;  // its blocks must lie close for axpby
    staging_.emplace(*mine.copies);
    for_each_task([&](std::int64_t i, std::int64_t j, std::int64_t g) { plan(i, j, g); });
    std::byte* const memory = mine.memory.reserve(bytes_);
    for (auto* places : {&a_, &b_, &c_, &totals_})
      for (place& at : *places)
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

  /// Where a block is on the device.
  struct place {
    T* data = nullptr;
    std::int64_t ld = 0, offset = -1;  // bytes in the arena; -1: not there
    int block = -1;                    // what it is called where it arrives; -1: nothing to wait for
    bool planned = false;
  };
  struct arrival {
    place* to;
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

  place& a(std::int64_t i, std::int64_t g) { return a_[g * rows_.count + i]; }
  place& b(std::int64_t g, std::int64_t j) { return b_[g * cols_.count + j]; }
  place& c(std::int64_t i, std::int64_t j) { return c_[j * rows_.count + i]; }
  place& total(std::int64_t i, std::int64_t j) { return totals_[j * rows_.count + i]; }

  void plan(std::int64_t i, std::int64_t j, std::int64_t g) {
    const std::int64_t first = groups_[g], terms = groups_[g + 1] - first, m = rows_.size(i), n = cols_.size(j);
    plan(a(i, g), p_.a, rows_.first(i), first, m, terms, true);
    plan(b(g, j), p_.b, first, cols_.first(j), terms, n, true);
    if (apart_) reserve(total(i, j), m, n);
    if (is_last(g) || !apart_) {
      const operand_matrix<const T> whole{p_.c.data, p_.c.ld, false, p_.c.lies};
      plan(c(i, j), whole, rows_.first(i), cols_.first(j), m, n, !is_zero(p_.beta));
    }
  }
  void plan(place& at, const operand_matrix<const T>& x, std::int64_t i, std::int64_t j, std::int64_t rows,
            std::int64_t cols, bool reads) {
    if (at.planned) return;
    if (x.turned) std::swap(rows, cols);
    const T* const data = x.at(i, j);
    if (x.lies == residence::here) {
      at = {const_cast<T*>(data), x.ld, -1, -1, true};
    } else {
      reserve(at, rows, cols);
      if (reads) arrivals_.push_back({&at, {data, x.ld, x.turned, x.lies}, rows, cols});
    }
  }
  void reserve(place& at, std::int64_t rows, std::int64_t cols) {
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

  void await(const place& at, const lane::queue& queue) {
    if (at.block >= 0) staging_->await(at.block, queue.native);
  }

  void compute(std::int64_t i, std::int64_t j, std::int64_t g) {
    const lane::queue& queue = lane_.queues[(i + j) % lane_.queues.size()];
    const std::int64_t m = rows_.size(i), n = cols_.size(j);
    await(a(i, g), queue);
    await(b(g, j), queue);
    place& C = c(i, j);
    if (p_.k <= canon_block) {
      await(C, queue);
      multiply(queue, i, j, g, 0, p_.k, p_.alpha, p_.beta, C);
    } else {
      for (std::int64_t first = groups_[g]; first < groups_[g + 1]; first += canon_block)
        multiply(queue, i, j, g, first, std::min(canon_block, p_.k - first), T(1), T(first == 0 ? 0 : 1),
                 apart_ ? total(i, j) : C);
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
                std::int64_t terms, T alpha, T beta, const place& C) {
    const place &A = a(i, g), &B = b(g, j);
    const std::int64_t p = first - groups_[g];
    require(queue, interface<T>::gemm(queue.stream, p_.a.turned ? 'T' : 'N', p_.b.turned ? 'T' : 'N', rows_.size(i),
                                      cols_.size(j), terms, alpha, A.data + (p_.a.turned ? p : p * A.ld), 1, A.ld,
                                      B.data + (p_.b.turned ? p * B.ld : p), 1, B.ld, beta, C.data, 1, C.ld));
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
  std::vector<place> a_, b_, c_, totals_;
  std::vector<arrival> arrivals_;
  std::int64_t bytes_ = 0;
  std::optional<cuda::staging> staging_;
};

template <class T>
void on_host(const problem<T>& p) {
  abax_stream* const stream = host_stream();
  require_success(interface<T>::gemm(stream, p.a.turned ? 'T' : 'N', p.b.turned ? 'T' : 'N', p.m, p.n, p.k, p.alpha,
                                     p.a.data, 1, p.a.ld, p.b.data, 1, p.b.ld, p.beta, p.c.data, 1, p.c.ld),
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

/// Whether copies there and back, which hide the device's work, take less time than the host's work. The rate of a core,
/// of copies by a core and by the device, and the time of anything at all, measured beside an H200.
template <class T>
bool pays(std::int64_t m, std::int64_t n, std::int64_t k, bool reads_c, bool any_pageable) {
  return portable::under_ieee([&] {
    const double core = sizeof(T) == 4 ? 60e9 : 35e9, copy = 5e9, bus = 40e9, least = 400e-6, threads = threads_here();
    const double elements = double(m) * k + double(k) * n + (reads_c ? 2.0 : 1.0) * m * n;
    const double rate = any_pageable ? std::min(bus, copy * threads) : bus;
    return 2.0 * m * n * k / (core * threads) > least + sizeof(T) * elements / rate;
  });
}

}  // namespace

template <class T>
bool gemm(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  const backend chosen = backend_of_call();
  if (chosen == backend::host) return false;
  const bool multiplies = !is_zero(alpha) && k != 0, turned_a = transposes(trans_a), turned_b = transposes(trans_b);
  const auto lies = [](const T* x, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    return where(x, x + rows - 1 + (cols - 1) * ld);
  };
  const residence of_c = lies(c, m, n, ldc);
  const residence of_a = !multiplies ? of_c : lies(a, turned_a ? k : m, turned_a ? m : k, lda);
  const residence of_b = !multiplies ? of_c : lies(b, turned_b ? n : k, turned_b ? k : n, ldb);
  const auto all_of = {of_a, of_b, of_c};
  const bool any_on_device = std::any_of(all_of.begin(), all_of.end(), cuda::is_on_a_device);
  if (!any_on_device) {
    const bool any_pageable = std::count(all_of.begin(), all_of.end(), residence::pageable) > 0;
    if (!multiplies) return false;
    if (chosen == backend::automatic && !pays<T>(m, n, k, !is_zero(beta), any_pageable)) return false;
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
          interface<T>::gemm(queue.stream, trans_a, trans_b, m, n, k, alpha, a, 1, lda, b, 1, ldb, beta, c, 1, ldc),
          queue.stream, "gemm");
      cuda::check(cudaStreamSynchronize(queue.native), "cudaStreamSynchronize");
      return true;
    }
    const operand_matrix<const T> A{a, lda, turned_a, of_a}, B{b, ldb, turned_b, of_b};
    in_pieces<T>(**mine, problem<T>{m, n, multiplies ? k : 0, alpha, A, B, beta, {c, ldc, false, of_c}});
    return true;
  });
}

template bool gemm(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                   const float*, std::int64_t, float, float*, std::int64_t);
template bool gemm(char, char, std::int64_t, std::int64_t, std::int64_t, double, const double*, std::int64_t,
                   const double*, std::int64_t, double, double*, std::int64_t);

}  // namespace abax::blas::device
