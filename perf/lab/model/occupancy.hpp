// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// How many teams of a kernel run at a time on one multiprocessor, and what allows no more.
namespace abax::model {

/// What one multiprocessor has, and in which pieces it gives it out. CUDA's property sheet says all but the pieces,
/// which hold from compute capability 8.0 on.
struct multiprocessor {
  int threads, teams;    ///< at a time
  int registers;         ///< of all teams
  int team_registers;    ///< that one team may have
  int team_threads;      ///< that one team may have
  int scratch;           ///< bytes of all teams
  int scratch_reserved;  ///< bytes of each team that CUDA keeps for itself
  int team_scratch;      ///< bytes that one team may ask for
  int warp = 32, schedulers = 4;
  int register_piece = 256;  ///< registers that a warp is given at a time
  int scratch_piece = 128;   ///< bytes that a team is given at a time
};

/// An H100 or H200: compute capability 9.0.
inline constexpr multiprocessor sm_90{2048, 32, 65536, 65536, 1024, 228 * 1024, 1024, 227 * 1024};

struct occupancy {
  enum class limit { teams, threads, registers, scratch, too_large };

  int teams;      ///< at a time; 0 where the kernel cannot run
  limit binding;  ///< what allows no more: of several that allow as few, the first of those above

  /// Of a team of `threads`, each with `registers`, which asks for `scratch` bytes.
  static constexpr occupancy of(const multiprocessor& m, int threads, int registers, int scratch) {
    if (threads < 1 || threads > m.team_threads || scratch > m.team_scratch) return {0, limit::too_large};
    const int warps = up(threads, m.warp) / m.warp;
    const int warp_registers = up(registers * m.warp, m.register_piece);
    const int team_scratch = up(scratch + m.scratch_reserved, m.scratch_piece);
    if (up(warps, m.schedulers) * warp_registers > m.team_registers) return {0, limit::too_large};

    occupancy least{m.teams, limit::teams};
    const auto allow = [&](int teams, limit what) {
      if (teams < least.teams) least = {teams, what};
    };
    allow(m.threads / m.warp / warps, limit::threads);
    if (warp_registers > 0)  // each scheduler has its part of the registers
      allow(m.registers / m.schedulers / warp_registers * m.schedulers / warps, limit::registers);
    if (team_scratch > 0) allow(m.scratch / team_scratch, limit::scratch);
    return least;
  }

 private:
  static constexpr int up(int value, int piece) { return (value + piece - 1) / piece * piece; }
};

}  // namespace abax::model
