// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// cp.async: global memory to scratch without a detour through registers.
#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace abax::cuda {

/// Starts copying `Bytes` (4, 8 or 16; both addresses aligned to it) to scratch. 16-byte copies pass by L1, narrower
/// ones through it. Before sm_80 the copy is done on the spot.
template <int Bytes>
KOKKOS_FORCEINLINE_FUNCTION void copy_async([[maybe_unused]] void* scratch, [[maybe_unused]] const void* global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(global) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(global), "n"(Bytes) : "memory");
#elif defined(__CUDA_ARCH__)
  for (int i = 0; i < Bytes / 4; ++i) static_cast<unsigned*>(scratch)[i] = static_cast<const unsigned*>(global)[i];
#endif
}

/// All `Bytes`, if `go`: without a branch, so that the copy can be issued amid arithmetic.
template <int Bytes>
KOKKOS_FORCEINLINE_FUNCTION void copy_async_if([[maybe_unused]] bool go, [[maybe_unused]] void* scratch,
                                               [[maybe_unused]] const void* global) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  if constexpr (Bytes == 16)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }\n" ::"r"(to),
                 "l"(global), "r"(static_cast<int>(go))
                 : "memory");
  else
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3; }\n" ::"r"(to),
                 "l"(global), "r"(static_cast<int>(go)), "n"(Bytes)
                 : "memory");
#else
  if (go) copy_async<Bytes>(scratch, global);
#endif
}

/// The same from `From` bytes past `global` to `To` bytes past `scratch` (an address as shared_address() gives it).
/// The instruction holds both distances: copies with the same two addresses need no others.
template <int Bytes, int To, int From>
KOKKOS_FORCEINLINE_FUNCTION void copy_async_if([[maybe_unused]] bool go, [[maybe_unused]] std::uint32_t scratch,
                                               [[maybe_unused]] const void* global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16)
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.cg.shared.global [%0 + %3], [%1 + %4], 16; }\n" ::"r"(
            scratch),
        "l"(global), "r"(static_cast<int>(go)), "n"(To), "n"(From)
        : "memory");
  else
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0 + %4], [%1 + %5], %3; }\n" ::"r"(
            scratch),
        "l"(global), "r"(static_cast<int>(go)), "n"(Bytes), "n"(To), "n"(From)
        : "memory");
#elif defined(__CUDA_ARCH__)
  if (go) copy_async<Bytes>(__cvta_shared_to_generic(scratch + To), static_cast<const char*>(global) + From);
#endif
}

/// `from`, `bytes` further, by an addition. Of sums of one stride compilers make products, which take three
/// instructions each where the stride has 64 bits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION const T* further_by(const T* from, std::int64_t bytes) {
#ifdef __CUDA_ARCH__
  asm("add.s64 %0, %0, %1;\n" : "+l"(from) : "l"(bytes));
  return from;
#else
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
#endif
}

/// Starts copying the first `exist` of Width elements, if `go`, by parts where not all exist and without a branch. They
/// lie on a multiple of their bytes. A copy with a size reads no more than that either, but tools that watch memory
/// take it for one of all its bytes.
template <int Width, class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_chunk_if(bool go, T* scratch, const T* global, int exist) {
  static_assert(Width == 1 || Width == 2 || Width == 4);
  copy_async_if<Width * sizeof(T)>(go && exist >= Width, scratch, global);
  const bool part = go && 0 < exist && exist < Width;
  if constexpr (Width == 4) copy_async_if<2 * sizeof(T)>(part && (exist & 2), scratch, global);
  if constexpr (Width > 1) copy_async_if<sizeof(T)>(part && (exist & 1), scratch + (exist & 2), global + (exist & 2));
}

/// Closes this thread's group of copies started since the last call.
KOKKOS_FORCEINLINE_FUNCTION void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's newest groups are still in flight. Other threads' copies are seen
/// only after a barrier that follows.
template <int Pending>
KOKKOS_FORCEINLINE_FUNCTION void wait_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
#endif
}

}  // namespace abax::cuda
