// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a product fetches into the caches while it computes.
#include "scalar.hpp"

namespace abax::openmp {
namespace {

inline constexpr index_t turn = 8;  // terms between two fetches

/// Lines of memory from `at` to `last`, one after another.
struct lines {
  std::uintptr_t at, last;

  template <class V>
  [[gnu::always_inline]] void fetch_next() {
    V::prefetch_second(reinterpret_cast<const void*>(at));
    at = at < last ? at + 64 : at;
  }
};

/// Memory fetched into the second cache while `tiles` register tiles of `turns` turns each are computed: with each tile
/// a run or a part of one, a line a turn, which costs next to nothing; or, where that would not do (but for a line), as
/// many lines a turn as it takes.
class cursor {
 public:
  cursor(const upcoming& u, index_t tiles, index_t turns)
      : run_(reinterpret_cast<std::uintptr_t>(u.first)),
        stride_(static_cast<std::uintptr_t>(u.stride)),
        length_(u.lines),
        left_(u.runs),
        each_(u.runs == 0 || u.runs > tiles ? u.lines : quotient(u.lines, tiles / u.runs)),
        crowded_(u.runs > tiles || each_ > turns + 1) {
    if (crowded_) each_ = quotient(u.lines * u.runs, tiles * turns + 1);
  }

  cursor* if_crowded() { return crowded_ ? this : nullptr; }
  /// The lines of the next tile.
  lines next(index_t turns) {
    const std::uintptr_t first = line(done_);
    if (crowded_) return {first, first};
    const index_t last = smaller(done_ + each_, length_);
    const lines found{first, line(smaller(done_ + turns, last) - 1)};
    advance_to(last);
    return found;
  }
  /// Those of a turn, where they are crowded.
  template <class V>
  void fetch() {
    for (index_t i = 0; i < each_; ++i) {
      V::prefetch_second(reinterpret_cast<const void*>(line(done_)));
      advance_to(done_ + 1);
    }
  }

 private:
  static index_t quotient(index_t n, index_t d) { return (n + d - 1) / d; }
  std::uintptr_t line(index_t i) const { return run_ + static_cast<std::uintptr_t>(i) * 64; }
  void advance_to(index_t done) {
    done_ = done;
    if (done < length_) return;
    done_ = 0;
    if (--left_ > 0) run_ += stride_;
  }

  std::uintptr_t run_, stride_;
  index_t length_, left_;
  index_t each_, done_ = 0;
  bool crowded_;
};

/// What is fetched while a register tile is computed: a line each turn, into the first cache, of the `Cols` columns
/// read or written next, `stride` bytes apart; and what the core packs or reads later.
struct lookahead {
  const void* near;
  std::uintptr_t stride;
  lines a, b;
  cursor *crowded_a, *crowded_b;
};

}  // namespace
}  // namespace abax::openmp
