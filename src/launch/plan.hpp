// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Which row of its backend's catalogue a product takes, and how many teams share a tile along k. Neither changes a bit
/// of the result, and both depend on a description of the machine alone.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "abax/detail/launch/rows.hpp"

namespace abax::launch {

/// How a product is done: a row, its tile for the product, the teams that share one along k, and how long that takes.
template <class Backend, class T>
struct product_plan {
  const product_row<Backend, T>* row;
  tile::product_tile tile;
  tile::cut cut;
  double time = 0;  ///< see time_of; 0 where the backend prefers the row, whatever it costs
};

template <class Backend, shape Kind, class T, class Functor = tile::no_functor>
struct product_rows {
  /// The rows for operands that lie as the problem's do.
  static std::span<const product_row<Backend, T>> of(const tile::product<T>& problem,
                                                     const typename Backend::machine_type& machine);
};

/// ceil_div for the host: divisions are what a small product waits for.
inline index_t pieces(index_t whole, index_t size) { return whole <= size ? whole > 0 : tile::ceil_div(whole, size); }

/// Of all items; of a triangle those that meet it: about half of all and half of those across the diagonal.
template <class T>
index_t tiles_of(const tile::product<T>& problem, const tile::product_tile& size) {
  const index_t rows = pieces(problem.c.rows, size.rows), cols = pieces(problem.c.cols, size.cols);
  const index_t one =
      problem.c.part == tile::triangle::whole ? rows * cols : (rows * cols + tile::max(rows, cols) + 1) / 2;
  return problem.items * one;
}
/// Of all items, those that do not meet a triangle: their teams begin and end.
template <class T>
index_t empty_tiles_of(const tile::product<T>& problem, const tile::product_tile& size) {
  if (problem.c.part == tile::triangle::whole) return 0;
  const index_t all = pieces(problem.c.rows, size.rows) * pieces(problem.c.cols, size.cols);
  return problem.items * all - tiles_of(problem, size);
}

/// What adding the block sums of a tile takes, counted, as in time_of, in terms of one output.
struct joining_time {
  double by_last_team;  ///< of each tile
  double apart;         ///< by a launch of its own

  template <class T>
  joining_time(const tile::product<T>& problem, const tile::product_tile& size, const tile::product_cost& cost,
               const backends::machine& machine, const tile::cut& cut) {
    const double sums = cost.join * size.rows * size.cols * tile::canon_blocks_of<T>(problem.terms());
    by_last_team = machine.arrival + sums;
    apart = machine.launch + sums * cut.shared_of(tiles_of(problem, size)) / machine.teams_at_once;
  }
};

/// True where the block sums of all shared tiles are so many that a launch of their own joins them faster than the last
/// team of each tile would.
template <class T>
bool joins_apart(const tile::product<T>& problem, const tile::product_tile& size, const tile::product_cost& cost,
                 const backends::machine& machine, const tile::cut& cut) {
  if (size.cols == 1) return false;  // a gemv's tiles have few sums
  const joining_time time(problem, size, cost, machine, cut);
  return time.apart < time.by_last_team;
}

/// How long operands take to arrive, and outputs to be read and written: by all teams together, of A and B each tile
/// reads its own part.
template <class T>
double moving_time(const tile::product<T>& problem, const tile::product_tile& size, const backends::machine& machine) {
  const double rows = problem.c.rows, cols = problem.c.cols;
  const double lines = rows * pieces(problem.c.cols, size.cols) + cols * pieces(problem.c.rows, size.rows);
  const double outputs = rows * cols * (tile::is_zero(problem.epilogue.beta) ? 1 : 2);
  const double part = problem.c.part == tile::triangle::whole ? 1 : 0.5;
  return part * sizeof(T) * problem.items *
         (machine.shared_byte * lines * problem.terms() + machine.output_byte * outputs);
}

/// How long a problem takes, in the time of one term of one output. Shared tiles come after the whole ones, with
/// `cut.splits` teams along k for each. The busiest processor decides: its teams run `residents` at a time, and fewer
/// do not fill it. Where all teams begin at once, those without outputs keep others from processors of their own. What
/// a team does before its first term and after its last counts as terms, too, and so does the join of block sums. It
/// takes as long as the longer of multiplying and of moving operands and outputs, and a tenth of the shorter. Where
/// processors differ in pace, that costs time unless enough teams follow the full rounds of whole tiles.
template <class T>
double time_of(const tile::product<T>& problem, const tile::product_tile& size, const tile::product_cost& cost,
               const backends::machine& machine, const tile::cut& cut) {
  const index_t blocks = tile::canon_blocks_of<T>(problem.terms());
  struct terms {
    double full, last;  // of full rounds, one after another, and of the last, if a place is left in it
  };
  const index_t empty = machine.in_turn ? empty_tiles_of(problem, size) : 0;
  const auto terms_of = [&](index_t teams, index_t splits) {  // `splits` for each tile
    const index_t places = index_t(machine.teams_at_once) * size.residents, rounds = teams / places;
    const index_t begun =
        rounds > 0 || teams == 0 ? teams - rounds * places : tile::min(places, teams + empty * splits);
    const index_t last = tile::ceil_div<index_t>(begun, machine.teams_at_once);
    const index_t share = blocks == 0 ? 1 : tile::ceil_div(blocks, splits);
    const double each = double(tile::min(problem.terms(), share * tile::canon_block_of<T>)) + cost.ends;
    return terms{double(rounds) * std::max(cost.alone, double(size.residents)) * each,
                 last == 0 ? 0 : std::max(cost.alone, double(last)) * each};
  };
  const index_t tiles = tiles_of(problem, size), shared = cut.shared_of(tiles);
  const terms own = terms_of(tiles - shared, 1), parts = terms_of(shared * cut.splits, cut.splits);
  const double all_terms = std::max(own.full * (1 + machine.uneven), own.full + own.last + parts.full + parts.last);
  const double outputs = double(size.rows) * size.cols;
  double joining = 0;
  if (shared > 0) {
    const joining_time time(problem, size, cost, machine, cut);
    joining = joins_apart(problem, size, cost, machine, cut) ? time.apart : time.by_last_team;
  }
  const double multiplying = outputs * all_terms / cost.rate;
  if (machine.shared_byte == 0) return multiplying + joining;
  const double moving = moving_time(problem, size, machine);
  constexpr double seen = 0.1;  // among rows that wait for memory alike, the one that multiplies least is the fastest
  return std::max(multiplying, moving) + seen * std::min(multiplying, moving) + joining;
}

/// Teams along k for one C tile, at most one a block: what the row says where tiles come near to occupying the machine
/// by themselves (a quarter of it is where short teams began to pay), or where it wants one in any case; else about as
/// many as it takes to occupy the machine, one where the block sums would take more memory than the operands. Where
/// there are more tiles than places, teams share none but those of the last round, or of the last two, a block each.
template <shape Kind, class T>
tile::cut cut_for(const tile::product<T>& problem, const tile::product_tile& size, const tile::product_cost& cost,
                  const backends::machine& machine) {
  const index_t blocks = tile::canon_blocks_of<T>(problem.terms());
  if (blocks < 2 || cost.shares == 0) return {};
  const index_t tiles = tiles_of(problem, size);
  const index_t places = index_t(machine.teams_at_once) * size.residents;
  if (cost.shares > 1 && 4 * tiles >= places) return {tile::min<index_t>(blocks, cost.shares)};
  constexpr index_t always = (index_t(64) << 20) / sizeof(T);
  const index_t operands = problem.items * (problem.c.rows + problem.c.cols) * problem.terms();
  const auto has_room = [&](index_t shared) {
    return shared * blocks * size.rows * size.cols <= tile::max(always, operands);
  };
  tile::cut best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const tile::cut& cut, double worthwhile) {
    if (const double time = time_of(problem, size, cost, machine, cut); time < worthwhile * least) {
      best = cut;
      least = time;
    }
  };
  if (tiles >= places) {
    if (is_vector(Kind) || is_batch(Kind) || !machine.in_turn || problem.c.part != tile::triangle::whole) return {};
    consider({}, 1);
    for (index_t whole = tiles / places * places; whole + 2 * places > tiles && whole >= 0; whole -= places)
      if (has_room(tiles - whole)) consider({blocks, whole}, 0.99);  // a smaller gain is within the model's error
    return best;
  }
  if (!has_room(problem.items * pieces(problem.c.rows, size.rows) * pieces(problem.c.cols, size.cols))) return {};
  if constexpr (is_vector(Kind)) {  // at the memory's pace: every place is filled, and the longest share decides
    const index_t each = pieces(blocks, tile::min(blocks, pieces(places, tiles)));
    constexpr index_t block = tile::canon_block_of<T>;
    // Cores that take over shares do so in blocks where the last is short.
    if (!machine.in_turn && problem.c.rows > machine.outputs_of_blocks) {
      const index_t whole = tiles * (problem.terms() / block), rest = problem.terms() % block;
      const index_t longest = pieces(whole, places) * block + (whole % places == 0 ? rest : 0);
      if (10 * longest < 9 * tile::min(problem.terms(), each * block)) return {blocks};
    }
    return {pieces(blocks, each)};
  }
  // As many teams as find a place at once, or one more each, or shares of few blocks, which even out.
  const index_t within = tile::max<index_t>(1, tile::min(blocks, places / tiles));
  for (const index_t splits : {within, tile::min(blocks, within + 1), blocks, pieces(blocks, index_t(2)),
                               pieces(blocks, index_t(3)), pieces(blocks, index_t(4))})
    consider({splits}, 1);
  return best;
}

/// The problem under one row, which serves it.
template <shape Kind, class Backend, class T>
product_plan<Backend, T> plan_by(const product_row<Backend, T>& row, const tile::product<T>& problem,
                                 const typename Backend::machine_type& machine) {
  const tile::product_tile size = row.tile_for(problem, machine);
  return {&row, size, cut_for<Kind>(problem, size, row.cost, machine)};
}

/// The problem under every row that serves it.
template <class Backend, shape Kind, class T, class Functor>
std::vector<product_plan<Backend, T>> plans(const tile::product<T, Functor>& problem,
                                            const typename Backend::machine_type& machine) {
  std::vector<product_plan<Backend, T>> all;
  for (const product_row<Backend, T>& row : product_rows<Backend, Kind, T, Functor>::of(problem, machine))
    if (row.serves(problem, machine)) all.push_back(plan_by<Kind>(row, problem, machine));
  return all;
}

/// True where one of `Rows` runs the problem without a plan.
template <class... Rows, class T>
bool runs_immediately(backends::rows<Rows...>, [[maybe_unused]] const tile::product<T>& problem) {
  return (Rows::serves(problem) || ...);
}

/// True where a team can have the scratch that its tile needs.
template <class Backend, class T>
bool fits(const product_plan<Backend, T>& plan, const tile::product<T>& problem,
          const typename Backend::machine_type& machine) {
  return plan.row->scratch_bytes(problem, plan.tile, machine) <= machine.team_scratch;
}

/// The row that the backend prefers, if it does and the machine has its scratch; else the one whose busiest processor
/// is done first, among those that serve the problem, that it has tiles for and the machine has scratch for; none if
/// there is none.
template <class Backend, shape Kind, class T, class Functor>
std::optional<product_plan<Backend, T>> choose(const tile::product<T, Functor>& problem,
                                               const typename Backend::machine_type& machine) {
  const auto rows = product_rows<Backend, Kind, T, Functor>::of(problem, machine);
  const int preferred = catalogue<Backend, Kind, T, Functor>::preferred(problem, machine);
  if (preferred != backends::by_cost) {
    const auto plan = plan_by<Kind>(rows[preferred], problem, machine);
    if (fits(plan, problem, machine)) return plan;
  }
  std::optional<product_plan<Backend, T>> best;
  double best_time = std::numeric_limits<double>::infinity();
  for (const product_row<Backend, T>& row : rows) {
    if (!row.serves(problem, machine)) continue;
    const auto plan = plan_by<Kind>(row, problem, machine);
    if (tiles_of(problem, plan.tile) < index_t(row.cost.least) * machine.teams_at_once) continue;
    const double time = time_of(problem, plan.tile, row.cost, machine, plan.cut);
    if (time >= best_time || !fits(plan, problem, machine)) continue;
    best = plan;
    best->time = best_time = time;
  }
  return best;
}

template <class T>
index_t aligned_length(index_t length) {
  constexpr index_t line = 128 / sizeof(T);
  return tile::ceil_div(length, line) * line;
}
template <class T>
bool along_cols(const tile::matrix<const T>& m) {
  return m.row_stride != 1 && m.col_stride == 1;
}
/// Elements of an operand's copy.
template <class T>
index_t size_of_copy(const tile::matrix<const T>& m) {
  return along_cols(m) ? aligned_length<T>(m.cols) * m.rows : aligned_length<T>(m.rows) * m.cols;
}
/// An operand as it lies once copied to `memory`: its lines on whole multiples of 128 bytes.
template <class T>
tile::matrix<const T> copied_to(T* memory, const tile::matrix<const T>& m) {
  if (along_cols(m)) return {memory, m.rows, m.cols, aligned_length<T>(m.cols), 1};
  return {memory, m.rows, m.cols, 1, aligned_length<T>(m.rows)};
}
/// A problem as it lies once such operands are copied, A to `memory` and B behind it.
template <class T, class Functor>
tile::product<T, Functor> copied_to(T* memory, const tile::product<T, Functor>& problem,
                                    const backends::copies& which) {
  tile::product<T, Functor> copied = problem;
  if (which.a) copied.a = copied_to(memory, problem.a);
  if (which.b) copied.b = copied_to(which.a ? memory + size_of_copy(problem.a) : memory, problem.b);
  copied.a_padded = which.a;
  copied.b_padded = which.b;
  return copied;
}

/// The same for a plan, which asks for no more of an address than what it is a multiple of.
template <class T, class Functor>
tile::product<T, Functor> as_copied(const tile::product<T, Functor>& problem, const backends::copies& which) {
  return copied_to(reinterpret_cast<T*>(std::uintptr_t(4096)), problem, which);
}

/// What a product runs under: a plan, and the operands that are copied for it.
template <class Backend, class T>
struct product_decision {
  backends::copies copies;
  std::optional<product_plan<Backend, T>> plan;  ///< of as_copied(problem, copies); none if no row can run it
};

/// Operands are copied, all that gain by it, where the product takes seven percent less time so, copies included: where
/// the model said less, most were slower.
template <class Backend, shape Kind, class T, class Functor>
product_decision<Backend, T> decide(const tile::product<T, Functor>& problem,
                                    const typename Backend::machine_type& machine) {
  product_decision<Backend, T> as_it_lies{{false, false}, choose<Backend, Kind>(problem, machine)};
  if constexpr (Kind == shape::matrix) {
    const backends::copies which = catalogue<Backend, Kind, T>::gain_by_copies(problem, machine);
    if (!which.any() || !as_it_lies.plan) return as_it_lies;
    const double time = as_it_lies.plan->time;
    const double a = which.a ? double(problem.a.rows) * problem.a.cols : 0;
    const double b = which.b ? double(problem.b.rows) * problem.b.cols : 0;
    const double copying = (which.a + which.b) * machine.copy + machine.copied_byte * 2 * sizeof(T) * (a + b);
    constexpr double worthwhile = 0.93;
    if (copying >= worthwhile * time) return as_it_lies;
    const auto copied = choose<Backend, Kind>(as_copied(problem, which), machine);
    if (copied && copying + copied->time < worthwhile * time) return {which, copied};
  }
  return as_it_lies;
}

}  // namespace abax::launch
