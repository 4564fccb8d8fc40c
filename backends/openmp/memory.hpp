// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Memory that a host thread keeps between calls: scratch of teams, block sums.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "abax/detail/tile/matrix.hpp"

namespace abax::openmp {

/// Bytes of the pages that hold `bytes`: large ones for large memory, whose panels would else outgrow the page tables'
/// cache.
constexpr std::size_t page_size(std::size_t bytes) {
  constexpr std::size_t large = std::size_t(2) << 20;
  return bytes >= large ? large : 4096;
}

/// At least as many bytes as were last asked for, aligned to a page; what they hold is lost where they grow.
class buffer {
 public:
  constexpr buffer() = default;
  buffer(buffer&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::byte* grow(std::size_t size) {
    if (size_ < size) {
      *this = buffer();  // before more is asked for
      const std::size_t page = page_size(size), whole = (size + page - 1) / page * page;
      bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(page, whole)));
      if (bytes_ == nullptr) throw std::bad_alloc();
#if defined(__linux__)
      if (page > 4096) madvise(bytes_.get(), whole, MADV_HUGEPAGE);  // a wish: where it is not granted, all works
#endif
      size_ = size;
    }
    return bytes_.get();
  }
  std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct release {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, release> bytes_;
  std::size_t size_ = 0;
};

/// The buffer that the calling thread keeps for `Owner`. Found by a plain pointer, which can be read when the thread's
/// other variables are gone: a library may be called while the program ends.
template <class Owner>
buffer& kept_buffer() {
  static thread_local buffer* memory = nullptr;
  struct release {
    ~release() { delete std::exchange(memory, nullptr); }
  };
  if (memory == nullptr) {
    memory = new buffer;
    static thread_local const release at_the_end_of_the_thread;
  }
  return *memory;
}

/// Block sums and arrival counters (zero at the start) of one call; a launch on this space is over when it returns.
/// The thread keeps a small one for its next call: taking memory costs more than a small dot product.
class workspace {
 public:
  template <class Instance>
  workspace(const Instance&, std::size_t bytes, index_t counters)
      : memory_(std::move(kept_buffer<workspace>())), sums_at_((sizeof(unsigned) * counters + 63) / 64 * 64) {
    void* const begin = memory_.grow(sums_at_ + bytes);
    if (counters != 0) std::memset(begin, 0, sums_at_);
  }
  ~workspace() {
    if (memory_.size() <= most_kept) kept_buffer<workspace>() = std::move(memory_);
  }
  workspace(const workspace&) = delete;

  void* sums() const { return memory_.data() + sums_at_; }
  unsigned* arrivals() const { return reinterpret_cast<unsigned*>(memory_.data()); }

 private:
  static constexpr std::size_t most_kept = std::size_t(1) << 20;
  buffer memory_;
  std::size_t sums_at_;
};

}  // namespace abax::openmp
