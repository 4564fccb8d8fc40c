// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shim.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

// glibc's, by the names that a program's own malloc leaves to them.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace abax::tests::faults {
namespace {

constinit std::atomic<long> requests = 0, refused = 0, blocks = 0, first = 0;
constinit std::atomic<bool> armed = false, lasts = false;
constinit std::atomic<resource> refuses = resource::memory;

void* counted(void* memory) {
  if (memory != nullptr) ++blocks;
  return memory;
}
template <class Allocate>
void* allocated(const Allocate& allocate) {
  if (is_refused(resource::memory)) {
    errno = ENOMEM;
    return nullptr;
  }
  return counted(allocate());
}

}  // namespace

bool is_refused(resource of) {
  if (!armed || refuses != of) return false;
  const long number = ++requests;
  if (number != first && !(lasts && number > first)) return false;
  ++refused;
  return true;
}
void refuse(resource of, long nth, bool lasting) {
  requests = refused = 0;
  first = nth;
  lasts = lasting;
  refuses = of;
  armed = true;
}
long serve_all() {
  armed = false;
  return refused;
}
long live_blocks() { return blocks; }

}  // namespace abax::tests::faults

using namespace abax::tests::faults;

extern "C" {

void* malloc(std::size_t size) {
  return allocated([=] { return __libc_malloc(size); });
}
void* calloc(std::size_t count, std::size_t size) {
  return allocated([=] { return __libc_calloc(count, size); });
}
void* realloc(void* old, std::size_t size) {
  if (old == nullptr) return malloc(size);
  if (size != 0 && is_refused(resource::memory)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const memory = __libc_realloc(old, size);
  if (size == 0) --blocks;
  return memory;
}
void* memalign(std::size_t alignment, std::size_t size) {
  return allocated([=] { return __libc_memalign(alignment, size); });
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  void* const found = memalign(alignment, size);
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
void free(void* memory) {
  if (memory != nullptr) --blocks;
  __libc_free(memory);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto system = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  return is_refused(resource::threads) ? EAGAIN : system(thread, attributes, start, argument);
}

}  // extern "C"
