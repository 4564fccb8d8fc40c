// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Libraries that are opened when the program runs: nothing is needed to build, nothing missed where they are not.
#include <dlfcn.h>

#include <string>
#include <vector>

namespace abax::perf {

/// A function of a library, or nullptr.
template <class F>
F* symbol(void* library, const std::string& name) {
  return library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name.c_str()));
}

/// How a library is opened that resolves its own calls in itself first, as several BLAS libraries stand in the process.
/// The address sanitizer does not run beside such ones.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int by_itself = RTLD_NOW | RTLD_LOCAL;
#else
inline constexpr int by_itself = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

/// The first of the files that loads, or nullptr; `why`: what the loader said of those before it.
inline void* load_first(const std::vector<std::string>& files, int flags, std::string* why = nullptr) {
  for (const std::string& file : files) {
    if (file.empty()) continue;
    if (void* const library = dlopen(file.c_str(), flags)) return library;
    if (why != nullptr) *why += (why->empty() ? "" : "; ") + std::string(dlerror());
  }
  return nullptr;
}

}  // namespace abax::perf
