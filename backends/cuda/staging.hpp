// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Blocks on their way between the host's memory and the device's while the device computes. Several host threads copy
/// between the caller's memory and page-locked pieces of it; the device copies the pieces. Knows nothing of Kokkos.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "abax/detail/backends/cuda/check.hpp"

namespace abax::cuda {

/// How a device gets at memory.
enum class residence {
  here,     ///< its own, or managed: as it is
  remote,   ///< another device's, which it copies
  linked,   ///< the host's, page-locked by its owner: it copies that by itself, too
  pageable  ///< any other memory of the host
};
inline bool is_on_a_device(residence r) { return r == residence::here || r == residence::remote; }
inline bool is_copied_directly(residence r) { return r == residence::remote || r == residence::linked; }

/// By the driver's book-keeping; memory that it has never heard of is the host's.
inline residence residence_of(const void* memory, int device) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return residence::pageable;
  }
  switch (attributes.type) {
    case cudaMemoryTypeDevice:
      return attributes.device == device ? residence::here : residence::remote;
    case cudaMemoryTypeManaged:
      return residence::here;
    case cudaMemoryTypeHost:
      return residence::linked;
    default:
      return residence::pageable;
  }
}

/// `count` lines of `length` bytes that begin `pitch` bytes apart.
struct lines {
  std::byte* data;
  std::size_t length, count, pitch;

  lines from(std::size_t first, std::size_t n) const { return {data + first * pitch, length, n, pitch}; }
  /// From the first byte of the first line to the last one of the last.
  std::size_t span() const { return count == 0 ? 0 : (count - 1) * pitch + length; }
};

inline void copy_on_host(const lines& from, const lines& to) {
  if (from.pitch == from.length && to.pitch == to.length)
    std::memcpy(to.data, from.data, from.span());
  else
    for (std::size_t i = 0; i < from.count; ++i)
      std::memcpy(to.data + i * to.pitch, from.data + i * from.pitch, from.length);
}
/// From anywhere to anywhere, in the stream's order.
inline void copy_on(cudaStream_t stream, const lines& from, const lines& to) {
  if (from.pitch == from.length && to.pitch == to.length)
    check(cudaMemcpyAsync(to.data, from.data, from.span(), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  else if (std::max(from.pitch, to.pitch) > std::numeric_limits<int>::max())  // more than CUDA calls a pitch
    for (std::size_t i = 0; i < from.count; ++i)
      check(cudaMemcpyAsync(to.data + i * to.pitch, from.data + i * from.pitch, from.length, cudaMemcpyDefault, stream),
            "cudaMemcpyAsync");
  else if (from.count > 0)
    check(
        cudaMemcpy2DAsync(to.data, to.pitch, from.data, from.pitch, from.length, from.count, cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
}

inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return event;
}
inline bool is_over(cudaEvent_t event) {
  const cudaError_t status = cudaEventQuery(event);
  if (status != cudaErrorNotReady)
    check(status, "cudaEventQuery");
  else
    static_cast<void>(cudaGetLastError());  // no error of the caller's
  return status == cudaSuccess;
}
/// It comes after what the default stream has been given before, as a caller of CUDA would expect of its own.
class owned_stream {
 public:
  owned_stream() { check(cudaStreamCreate(&stream_), "cudaStreamCreate"); }
  ~owned_stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  owned_stream(const owned_stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Device memory that is kept from call to call, where it is not too much.
class arena {
 public:
  /// At least `bytes`, whose contents are anything.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > size_) {
      release();
      void* memory = nullptr;
      check(cudaMalloc(&memory, bytes), "cudaMalloc");
      memory_ = static_cast<std::byte*>(memory);
      size_ = bytes;
    }
    return memory_;
  }
  /// Gives up what is more than a sixteenth of the device's memory. Nothing works on it any more.
  void shrink() {
    std::size_t free = 0;
    if (size_ > 0 && all_ == 0 && cudaMemGetInfo(&free, &all_) != cudaSuccess) all_ = 0;
    if (size_ > all_ / 16) release();
  }

 private:
  void release() {
    static_cast<void>(cudaFree(std::exchange(memory_, nullptr)));
    size_ = 0;
  }

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0, all_ = 0;  // of it, and of the device; 0: not asked yet
};

/// Page-locked memory of one thread: it fills one piece while the device copies the other.
class piece_pair {
 public:
  static constexpr std::size_t bytes = std::size_t(4) << 20;

  piece_pair() {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, 2 * bytes, cudaHostAllocPortable), "cudaHostAlloc");
    try {
      for (int i = 0; i < 2; ++i) pieces_[i] = {static_cast<std::byte*>(memory) + i * bytes, new_event()};
    } catch (...) {
      if (pieces_[0].done != nullptr) static_cast<void>(cudaEventDestroy(pieces_[0].done));
      static_cast<void>(cudaFreeHost(memory));
      throw;
    }
  }
  piece_pair(const piece_pair&) = delete;  // kept to the program's end, as streams are

  /// On `stream`, from the host's memory by way of a piece; returns before the device has copied it.
  void send(cudaStream_t stream, const lines& from, const lines& to) {
    const piece& mine = next();
    const lines here{mine.memory, from.length, from.count, to.pitch};
    copy_on_host(from, here);
    check(cudaMemcpyAsync(to.data, here.data, to.span(), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    check(cudaEventRecord(mine.done, stream), "cudaEventRecord");
  }
  /// The way back; returns when it is done.
  void receive(cudaStream_t stream, const lines& from, const lines& to) {
    const piece& mine = next();
    const lines here{mine.memory, from.length, from.count, from.pitch};
    check(cudaMemcpyAsync(here.data, from.data, from.span(), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    check(cudaEventRecord(mine.done, stream), "cudaEventRecord");
    check(cudaEventSynchronize(mine.done), "cudaEventSynchronize");
    copy_on_host(here, to);
  }

 private:
  struct piece {
    std::byte* memory = nullptr;
    cudaEvent_t done = nullptr;
  };
  const piece& next() {
    std::swap(pieces_[0], pieces_[1]);
    check(cudaEventSynchronize(pieces_[0].done), "cudaEventSynchronize");
    return pieces_[0];
  }

  std::array<piece, 2> pieces_;
};

/// What copies need and keep: a stream each way (the device would not keep the order of copies on two), events, and a
/// pair of pieces for each thread that ever helped.
class staging_resources {
 public:
  staging_resources() { pieces_.emplace_back(); }

  /// The pair of helper number `i`; null without memory for it, but never for number 0.
  piece_pair* pieces(std::size_t i) {
    const std::lock_guard lock(mutex_);
    try {
      while (pieces_.size() <= i) pieces_.emplace_back();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return &pieces_[i];
  }
  cudaEvent_t event(std::size_t i) {
    while (events_.size() <= i) events_.push_back(new_event());
    return events_[i];
  }

  const owned_stream in, out;

 private:
  std::mutex mutex_;
  std::deque<piece_pair> pieces_;
  std::vector<cudaEvent_t> events_;
};

/// The copies of one call. One thread leads: it names what is to be brought, in the order in which it wants it, then
/// waits for one block after another, and hands over what may be taken back; while it waits, it copies too. Others may
/// help().
class staging {
 public:
  explicit staging(staging_resources& resources) : resources_(resources) {}

  /// Before anybody helps: a block for the device, with a number that counts from 0.
  int bring(const lines& from, const lines& to, bool linked) {
    const std::size_t step = linked ? from.count : std::max<std::size_t>(1, piece_pair::bytes / to.pitch);
    incoming_.push_back({from, to, linked, step, 0, 0, new_event_of_call()});
    return static_cast<int>(incoming_.size()) - 1;
  }
  /// What `stream` is given from now on comes after the arrival of the block.
  void await(int number, cudaStream_t stream) {
    std::unique_lock lock(mutex_);
    const incoming& block = incoming_[number];
    while (block.issued < block.from.count) work_or_wait(lock, *resources_.pieces(0));
    check(cudaStreamWaitEvent(stream, block.arrived, 0), "cudaStreamWaitEvent");
  }
  /// A block to be taken back when `stream` has done what it has been given so far.
  void take_back(const lines& from, const lines& to, bool linked, cudaStream_t stream) {
    const cudaEvent_t computed = new_event_of_call();
    check(cudaEventRecord(computed, stream), "cudaEventRecord");
    if (linked) {
      check(cudaStreamWaitEvent(resources_.out, computed, 0), "cudaStreamWaitEvent");
      return copy_on(resources_.out, from, to);
    }
    const std::size_t step = std::max<std::size_t>(1, piece_pair::bytes / from.pitch);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < from.count; i += step) {
      const std::size_t n = std::min(step, from.count - i);
      outgoing_.push_back({from.from(i, n), to.from(i, n), computed});
    }
    changed_.notify_all();
  }
  /// No more will be handed over. Returns when everything is where it belongs.
  void finish() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
    while (!done() || working_ > 0) work_or_wait(lock, *resources_.pieces(0));
    check(cudaStreamSynchronize(resources_.out), "cudaStreamSynchronize");
  }
  /// Ends the work of all helpers; the leader's own way out when it has failed.
  void abandon() noexcept {
    std::unique_lock lock(mutex_);
    if (error_ == nullptr) error_ = std::make_exception_ptr(std::runtime_error("abax: staging was abandoned"));
    changed_.notify_all();
    changed_.wait(lock, [&] { return working_ == 0; });
    for (const cudaStream_t stream : std::initializer_list<cudaStream_t>{resources_.in, resources_.out})
      static_cast<void>(cudaStreamSynchronize(stream));
  }
  /// Copies until all is done. Errors are the leader's.
  void help(piece_pair& mine) noexcept {
    std::unique_lock lock(mutex_);
    try {
      while (!done()) work_or_wait(lock, mine);
    } catch (...) {
      if (error_ == nullptr) error_ = std::current_exception();
      changed_.notify_all();
    }
  }

 private:
  struct incoming {
    lines from, to;
    bool linked;
    std::size_t step, taken, issued;  // in lines
    cudaEvent_t arrived;              // recorded when all of it has been issued
  };
  struct outgoing {
    lines from, to;
    cudaEvent_t computed;
  };

  cudaEvent_t new_event_of_call() { return resources_.event(events_++); }
  bool done() const { return closed_ && outgoing_.empty() && next_incoming_ == incoming_.size(); }

  /// Does one piece of work if there is any, else waits for a change.
  void work_or_wait(std::unique_lock<std::mutex>& lock, piece_pair& mine) {
    if (error_ != nullptr) std::rethrow_exception(error_);
    const bool all_sent = next_incoming_ == incoming_.size();
    // What has been computed goes first. What has not is waited for where there is nothing else to do.
    if (!outgoing_.empty() && (all_sent || is_over(outgoing_.front().computed))) {
      const outgoing work = outgoing_.front();
      outgoing_.pop_front();
      unlocked(lock, [&] {
        check(cudaStreamWaitEvent(resources_.out, work.computed, 0), "cudaStreamWaitEvent");
        mine.receive(resources_.out, work.from, work.to);
      });
    } else if (!all_sent) {
      incoming& block = incoming_[next_incoming_];
      const std::size_t first = block.taken, n = std::min(block.step, block.from.count - first);
      block.taken += n;
      if (block.taken == block.from.count) ++next_incoming_;
      unlocked(lock, [&] {
        const lines from = block.from.from(first, n), to = block.to.from(first, n);
        block.linked ? copy_on(resources_.in, from, to) : mine.send(resources_.in, from, to);
      });
      block.issued += n;
      if (block.issued == block.from.count) {
        check(cudaEventRecord(block.arrived, resources_.in), "cudaEventRecord");
        changed_.notify_all();
      }
    } else {
      changed_.wait(lock);
    }
  }
  template <class Work>
  void unlocked(std::unique_lock<std::mutex>& lock, const Work& work) {
    ++working_;
    lock.unlock();
    const auto back = [&] {
      lock.lock();
      if (--working_ == 0) changed_.notify_all();
    };
    try {
      work();
    } catch (...) {
      back();
      throw;
    }
    back();
  }

  staging_resources& resources_;
  std::size_t events_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<incoming> incoming_;
  std::deque<outgoing> outgoing_;
  std::size_t next_incoming_ = 0;
  int working_ = 0;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace abax::cuda
