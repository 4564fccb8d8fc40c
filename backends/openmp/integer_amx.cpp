// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes for CPUs with AMX: all else is as with AVX-512 VNNI.
#include "integer_sets.hpp"
#include "kernel_integer_tiles.hpp"
#include "kernel_integer_vnni.hpp"

namespace abax::openmp {
namespace {

/// The tile registers of the calling thread, each of 16 lines of 64 bytes, for as long as this lives.
class amx_tiles {
 public:
  amx_tiles() {
    alignas(64) unsigned char shape[64] = {};  // of all eight; the rest says nothing
    shape[0] = 1;
    for (int tile = 0; tile < 8; ++tile) {
      shape[16 + 2 * tile] = 64;  // bytes of a line, in two bytes
      shape[48 + tile] = 16;      // lines
    }
    asm volatile("ldtilecfg %0" : : "m"(shape));  // GCC 12's own function tells of its first eight bytes alone
  }
  ~amx_tiles() { asm volatile("tilerelease"); }
  amx_tiles(const amx_tiles&) = delete;

  // The compiler's own functions take no tile's number that is a template's.
  template <int Tile>
  void load(const void* from, index_t stride) const {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
  }
  template <int Tile>
  void store(void* to, index_t stride) const {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(Tile) : "memory");
  }
  template <int To, int Right, int Left>
  void add_products() const {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(To), "i"(Right), "i"(Left));
  }
};

constexpr integer_kernels amx_table() {
  integer_kernels table = vnni_table("amx");
  table.rows = 32;
  table.multiply_add = multiply_add_by_tiles<amx_tiles, vnni_bytes>;
  return table;
}

}  // namespace

constinit const integer_kernels amx_integers = amx_table();

}  // namespace abax::openmp
