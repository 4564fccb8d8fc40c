// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Host memory that ends, or begins, exactly where the process may not look: one element too far is a crash at the
/// spot, even where the value read would have been thrown away.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

#include "bits.hpp"

namespace abax::tests {

enum class page_edge { after, before };

template <class T>
class paged {
 public:
  paged(index_t count, page_edge edge) : count_(count) {
    const index_t page = sysconf(_SC_PAGESIZE);
    const index_t inner = (index_t(sizeof(T)) * count + page - 1) / page * page;
    bytes_ = inner + 2 * page;
    base_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    if (inner > 0 && mprotect(base_ + page, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = reinterpret_cast<T*>(base_ + page + (edge == page_edge::after ? inner - index_t(sizeof(T)) * count : 0));
  }
  paged(const std::vector<T>& values, page_edge edge) : paged(static_cast<index_t>(values.size()), edge) {
    if (count_ > 0) std::memcpy(data_, values.data(), sizeof(T) * count_);
  }
  paged(paged&& other) noexcept
      : count_(other.count_), bytes_(other.bytes_), base_(std::exchange(other.base_, nullptr)), data_(other.data_) {}
  ~paged() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }
  paged& operator=(paged&&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const { return std::vector<T>(data_, data_ + count_); }

 private:
  index_t count_, bytes_ = 0;
  char* base_ = nullptr;
  T* data_ = nullptr;
};

}  // namespace abax::tests
