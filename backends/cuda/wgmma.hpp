// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products of bytes on the tensor cores of sm_90a: four warps at once, both operands in scratch, sums in registers.
/// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace abax::cuda {

/// Lines of 128 bytes in scratch, whose chunks are permuted as plane_order::blocks has them, and from a multiple of
/// 1024 bytes on. Adding 2 goes on by 32 terms.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t wgmma_operand(std::uint32_t scratch) {
  constexpr std::uint64_t unused = 1, eight_lines = 1024 >> 4, chunks_of_128_bytes = 1;
  return (scratch & 0x3FFFF) >> 4 | unused << 16 | eight_lines << 32 | chunks_of_128_bytes << 62;
}

/// What this thread did with its sums comes before what follows.
KOKKOS_FORCEINLINE_FUNCTION void wgmma_begin() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#endif
}
/// Closes the group of those begun.
KOKKOS_FORCEINLINE_FUNCTION void wgmma_commit() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
#endif
}
/// Until at most `Pending` groups are under way.
template <int Pending>
KOKKOS_FORCEINLINE_FUNCTION void wgmma_wait() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(Pending) : "memory");
#endif
}

/// Until all groups are done: c has its sums, and nothing that reads them comes before.
KOKKOS_FORCEINLINE_FUNCTION void wgmma_finish([[maybe_unused]] std::int32_t (&c)[128]) {
  wgmma_wait<0>();
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#pragma unroll
  for (int i = 0; i < 128; ++i) asm volatile("" : "+r"(c[i])::"memory");
#endif
}

/// c <- c + A B^T for 64 lines of A, 256 of B and 32 terms. Thread t of the four warps has the sums of A's lines
/// 16 (t / 32) + t % 32 / 4 + 8 h and B's lines 8 g + 2 (t % 4) + e as c[4 g + 2 h + e].
KOKKOS_FORCEINLINE_FUNCTION void wgmma_multiply_add([[maybe_unused]] std::int32_t (&c)[128],
                                                    [[maybe_unused]] std::uint64_t a,
                                                    [[maybe_unused]] std::uint64_t b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  // clang-format off
  asm volatile(
          "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
          "%0, %1, %2, %3, %4, %5, %6, %7, "
          "%8, %9, %10, %11, %12, %13, %14, %15, "
          "%16, %17, %18, %19, %20, %21, %22, %23, "
          "%24, %25, %26, %27, %28, %29, %30, %31, "
          "%32, %33, %34, %35, %36, %37, %38, %39, "
          "%40, %41, %42, %43, %44, %45, %46, %47, "
          "%48, %49, %50, %51, %52, %53, %54, %55, "
          "%56, %57, %58, %59, %60, %61, %62, %63, "
          "%64, %65, %66, %67, %68, %69, %70, %71, "
          "%72, %73, %74, %75, %76, %77, %78, %79, "
          "%80, %81, %82, %83, %84, %85, %86, %87, "
          "%88, %89, %90, %91, %92, %93, %94, %95, "
          "%96, %97, %98, %99, %100, %101, %102, %103, "
          "%104, %105, %106, %107, %108, %109, %110, %111, "
          "%112, %113, %114, %115, %116, %117, %118, %119, "
          "%120, %121, %122, %123, %124, %125, %126, %127"
          "}, %128, %129, 1;\n"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]),
          "+r"(c[4]), "+r"(c[5]), "+r"(c[6]), "+r"(c[7]),
          "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11]),
          "+r"(c[12]), "+r"(c[13]), "+r"(c[14]), "+r"(c[15]),
          "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]),
          "+r"(c[20]), "+r"(c[21]), "+r"(c[22]), "+r"(c[23]),
          "+r"(c[24]), "+r"(c[25]), "+r"(c[26]), "+r"(c[27]),
          "+r"(c[28]), "+r"(c[29]), "+r"(c[30]), "+r"(c[31]),
          "+r"(c[32]), "+r"(c[33]), "+r"(c[34]), "+r"(c[35]),
          "+r"(c[36]), "+r"(c[37]), "+r"(c[38]), "+r"(c[39]),
          "+r"(c[40]), "+r"(c[41]), "+r"(c[42]), "+r"(c[43]),
          "+r"(c[44]), "+r"(c[45]), "+r"(c[46]), "+r"(c[47]),
          "+r"(c[48]), "+r"(c[49]), "+r"(c[50]), "+r"(c[51]),
          "+r"(c[52]), "+r"(c[53]), "+r"(c[54]), "+r"(c[55]),
          "+r"(c[56]), "+r"(c[57]), "+r"(c[58]), "+r"(c[59]),
          "+r"(c[60]), "+r"(c[61]), "+r"(c[62]), "+r"(c[63]),
          "+r"(c[64]), "+r"(c[65]), "+r"(c[66]), "+r"(c[67]),
          "+r"(c[68]), "+r"(c[69]), "+r"(c[70]), "+r"(c[71]),
          "+r"(c[72]), "+r"(c[73]), "+r"(c[74]), "+r"(c[75]),
          "+r"(c[76]), "+r"(c[77]), "+r"(c[78]), "+r"(c[79]),
          "+r"(c[80]), "+r"(c[81]), "+r"(c[82]), "+r"(c[83]),
          "+r"(c[84]), "+r"(c[85]), "+r"(c[86]), "+r"(c[87]),
          "+r"(c[88]), "+r"(c[89]), "+r"(c[90]), "+r"(c[91]),
          "+r"(c[92]), "+r"(c[93]), "+r"(c[94]), "+r"(c[95]),
          "+r"(c[96]), "+r"(c[97]), "+r"(c[98]), "+r"(c[99]),
          "+r"(c[100]), "+r"(c[101]), "+r"(c[102]), "+r"(c[103]),
          "+r"(c[104]), "+r"(c[105]), "+r"(c[106]), "+r"(c[107]),
          "+r"(c[108]), "+r"(c[109]), "+r"(c[110]), "+r"(c[111]),
          "+r"(c[112]), "+r"(c[113]), "+r"(c[114]), "+r"(c[115]),
          "+r"(c[116]), "+r"(c[117]), "+r"(c[118]), "+r"(c[119]),
          "+r"(c[120]), "+r"(c[121]), "+r"(c[122]), "+r"(c[123]),
          "+r"(c[124]), "+r"(c[125]), "+r"(c[126]), "+r"(c[127])
        : "l"(a), "l"(b));
  // clang-format on
#endif
}

/// This thread's group of four warps, all of it, has so many registers a thread from here on.
template <int Registers>
KOKKOS_FORCEINLINE_FUNCTION void take_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(Registers));
#endif
}
template <int Registers>
KOKKOS_FORCEINLINE_FUNCTION void give_up_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(Registers));
#endif
}

}  // namespace abax::cuda
