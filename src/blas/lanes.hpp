// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What calls of the BLAS on a device share: queues and memory there, where operands lie, how failures end.
#include <array>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../c/start.hpp"
#include "abax/detail/backends/cuda/staging.hpp"
#include "stream.hpp"
#include "target.hpp"

namespace abax::blas::device {

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
        all.idle_.reserve(all.most_);   // to be given back needs no memory
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

/// Where calls may compute: the chosen target, but the host in a child that the device did not follow into, and when
/// the program ends.
inline target target_of_call() {
  const target chosen = chosen_target();
  return c::device_runs() ? chosen : target::host;
}
inline residence where(const void* data) { return cuda::residence_of(data, turn::ordinal()); }
/// Of all that lies from `first` to `last`: an owner may have page-locked a part of it only.
inline residence where(const void* first, const void* last) {
  const residence begin = where(first);
  return begin == residence::linked && where(last) != begin ? residence::pageable : begin;
}

/// `count` lines of `length` bytes, `pitch` bytes apart; of one line the pitch may be any number.
inline lines lines_of(const void* data, std::size_t length, std::size_t count, std::size_t pitch) {
  return {static_cast<std::byte*>(const_cast<void*>(data)), length, count, count > 1 ? pitch : length};
}

/// work(), or the end of the program with what went wrong.
template <class Work>
auto or_end(const char* routine, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    end_program(routine, "no memory");
  } catch (const std::exception& error) {
    end_program(routine, error.what());
  }
}

}  // namespace abax::blas::device
