// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "product ladder": a matrix product from the naive kernel to the vendor's, with and without the copies to
// the device, and under less scratch.
#include <abax/gemm.hpp>
#include <cmath>

#include "../suite/peers/peers.hpp"
#include "abax/detail/tile/banks.hpp"
#include "arrays.hpp"
#include "figures.hpp"
#include "handwritten/handwritten.hpp"
#include "product_capacities.hpp"

namespace abax::lab {
namespace {

/// C <- A B, square, rows contiguous.
struct operands {
  index_t n;
  const float *A, *B;
  float* C;

  index_t tiles(int tile) const { return (n + tile - 1) / tile; }
};

/// A thread per element of C, every operand read from memory.
struct naive_team {
  static constexpr int tile = 16;
  static constexpr std::size_t bytes = 0;
  operands x;
  int tiles;  // along a row of C

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t first_row = index_t(team.league_rank() / tiles) * tile;
    const index_t first_column = index_t(team.league_rank() % tiles) * tile;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile * tile), [&](int e) {
      const index_t row = first_row + e / tile, column = first_column + e % tile;
      if (row >= x.n || column >= x.n) return;
      float sum = 0;
      for (index_t p = 0; p < x.n; ++p) sum = Kokkos::fma(x.A[row * x.n + p], x.B[p * x.n + column], sum);
      x.C[row * x.n + column] = sum;
    });
  }
};

/// A team computes Tile x Tile elements of C, of which each thread has `Each`, and stages Depth terms of k at a time:
/// what is fetched serves Tile threads. Rows of A's stage lie Line words apart.
template <int Each, int Tile, int Depth, int Line = Depth>
struct tiled_team {
  static constexpr int tile = Tile;
  static constexpr std::size_t bytes = sizeof(float) * Tile * (Line + Depth);
  operands x;
  int tiles;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t first_row = index_t(team.league_rank() / tiles) * Tile;
    const index_t first_column = index_t(team.league_rank() % tiles) * Tile;
    const int rank = team.team_rank();
    float* const a_tile = scratch_of<float>(team, bytes);  // (Tile, Depth)
    float* const b_tile = a_tile + Tile * Line;            // (Depth, Tile)
    float sum[Each] = {};
    for (index_t first = 0; first < x.n; first += Depth) {
      const int terms = static_cast<int>(x.n - first < Depth ? x.n - first : Depth);
      // Neighbours along a row of A, and along a row of B. The guards are the matrices' own: rows of A end with C's
      // rows, its columns with k.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Tile * Depth), [&](int e) {
        const int square = e / (Tile * Tile) * Tile, r = e % (Tile * Tile) / Tile, c = e % Tile;
        const index_t row = first_row + r, column = first_column + c;
        a_tile[r * Line + square + c] = row < x.n && square + c < terms ? x.A[row * x.n + first + square + c] : 0.0F;
        b_tile[(square + r) * Tile + c] =
            square + r < terms && column < x.n ? x.B[(first + square + r) * x.n + column] : 0.0F;
      });
      team.team_barrier();  // the stage is complete
      if (terms == Depth)
        for (int i = 0; i < Each; ++i) add<Depth>(a_tile, b_tile, rank + i, Depth, sum[i]);
      else  // cut, not run over zeros: fma(+0, +0, -0) is +0
        for (int i = 0; i < Each; ++i) add<1>(a_tile, b_tile, rank + i, terms, sum[i]);
      team.team_barrier();  // every thread is done with the stage
    }
    for (int i = 0; i < Each; ++i) {
      const index_t row = first_row + (rank + i) / Tile, column = first_column + (rank + i) % Tile;
      if (row < x.n && column < x.n) x.C[row * x.n + column] = sum[i];
    }
  }

  /// sum <- the chain over `terms` more terms, a multiple of Unroll, of element e of the tile.
  template <int Unroll>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const float* a_tile, const float* b_tile, int e, int terms, float& sum) {
    for (int first = 0; first < terms; first += Unroll)
      for (int p = first; p < first + Unroll; ++p)
        sum = Kokkos::fma(a_tile[e / Tile * Line + p], b_tile[p * Tile + e % Tile], sum);
  }
};

/// What the model says of the tiles' accesses to scratch.
figure stages_table() {
  struct stage {
    const char* name;
    int tile, line;
  };
  table_rows rows;
  for (const stage& s : {stage{"16 x 16, k by 16", 16, 16}, stage{"16 x 16, k by 64", 16, 64},
                         stage{"16 x 16, k by 64, rows 80 words apart", 16, 80}, stage{"32 x 32, k by 32", 32, 32}}) {
    using tile::direction;
    const auto wavefronts = [&](direction way, int width, const auto& word) {
      const auto address = [&](int t) { return 4 * word(t / s.tile, t % s.tile); };
      return std::to_string(tile::banks::of(way, width, address).wavefronts);
    };
    const auto row = [&](int r, int) { return r * s.line; };
    rows.push_back({s.name, wavefronts(direction::load, 4, row), wavefronts(direction::load, 16, row),
                    wavefronts(direction::load, 4, [](int, int c) { return c; }),
                    wavefronts(direction::store, 4, [&](int r, int c) { return r * s.line + c; })});
  }
  return table(
      {"Wavefronts of a warp's accesses to a stage, by the model",
       "In a tile of 16 columns a warp covers two rows of C and loads two words of A's stage for each term. Where the "
       "stage's rows lie 64 words apart both words are in one bank: a load or store takes two wavefronts instead of "
       "one. An instruction that fetches four terms takes two in either case.",
       "", "", from_model},
      {"tile", "load a term of A", "load four terms of A", "load a term of B", "store a row of A"}, rows);
}

float term(int operand, index_t i) { return perf::input<float>(operand, i); }

float expected(index_t n, const perf::place& p, order how) {
  return dot(
      how, n, [&](index_t t) { return term(1, p.i * n + t); }, [&](index_t t) { return term(2, t * n + p.j); });
}

/// Calls right(place, element) for 64 elements of C, none of which may be left unwritten; it must be true.
template <class Right>
std::string check_some(index_t n, const std::vector<float>& C, const Right& right) {
  if (const auto unwritten = std::count_if(C.begin(), C.end(), [](float c) { return bits_of(c) == ~0u; }))
    throw wrong_output(std::to_string(unwritten) + " elements were not written");
  const std::vector<perf::place> places = perf::sample(n, n, 60);
  for (const perf::place& p : places)
    if (!right(p, C[static_cast<std::size_t>(p.i * n + p.j)]))
      throw wrong_output("element (" + std::to_string(p.i) + ", " + std::to_string(p.j) + ") of " + std::to_string(n) +
                         " x " + std::to_string(n));
  return std::to_string(places.size()) + " elements";
}

/// Against the host's scalar loops, bit for bit.
std::string check(index_t n, const std::vector<float>& C, order how) {
  return "bits of " +
         check_some(n, C, [&](const perf::place& p, float c) { return bits_of(c) == bits_of(expected(n, p, how)); }) +
         " against " + (how == order::canon ? "the canon" : "one chain of multiply-adds") + ", all elements written";
}

/// The vendor adds in an order of its own: every element within the bound of a chain.
std::string check_vendor(index_t n, const std::vector<float>& C) {
  int same = 0;
  const std::string checked = check_some(n, C, [&](const perf::place& p, float c) {
    double exact = 0, scale = 0;
    for (index_t t = 0; t < n; ++t) {
      const double product = double(term(1, p.i * n + t)) * double(term(2, t * n + p.j));
      exact += product;
      scale += std::abs(product);
    }
    same += c == expected(n, p, order::chain);
    return std::abs(double(c) - exact) <= 0x1p-24 * double(n + 2) * scale;
  });
  return checked + " within the bound of a chain, " + std::to_string(same) + " of them with the bits of one";
}

/// The products of one size.
template <class Space>
struct products {
  const settings& how;
  experiment_result& result;
  index_t n;
  array<Space> A = inputs<Space>(1, n*n), B = inputs<Space>(2, n*n), C = uninitialised<array<Space>>(n * n);
  operands x{n, A.data(), B.data(), C.data()};
  bench all{how, backend_of<Space>, result};

  case_result& add(const std::string& name, const char* variant, const std::function<void()>& run,
                   const std::function<std::string()>& check, bool counted = false, timed_by clock = timed_by::events) {
    poison(C);
    const double flops = 2.0 * std::pow(static_cast<double>(n), 3);
    return all.add(
        {std::to_string(n) + "/" + name, variant, run, check, {{"flops", flops}}, {}, {}, counted, {}, clock});
  }
  std::function<std::string()> summed_in(order how_summed) {
    return [=, this] { return check(n, values_of(C), how_summed); };
  }
  void add_classic(const char* name, const char* variant, const std::function<void(const operands&)>& run) {
    const auto right = [&] {
      const std::string checked = summed_in(order::chain)();
      constexpr index_t odd = 77;  // no multiple of any tile
      const array<Space> a = inputs<Space>(1, odd * odd), b = inputs<Space>(2, odd * odd),
                         c = poisoned<Space>(odd * odd);
      run({odd, a.data(), b.data(), c.data()});
      Space().fence();
      check(odd, values_of(c), order::chain);
      return checked + "; the same at 77 x 77";
    };
    add(
        name, variant, [run, this] { run(x); }, right, true);
  }
  /// A kernel and its twin.
  template <class Kernel, class Twin>
  void add_both(const char* name, const Twin& twin) {
    add_classic(name, "portable", launch<Kernel>);
    if constexpr (backend_of<Space> == backend::device)
      add_classic(name, "handwritten",
                  [=](const operands& o) { twin(o.n, o.n, o.n, o.A, o.n, o.B, o.n, o.C, o.n, stream<Space>()); });
  }
  template <class Kernel>
  static void launch(const operands& o) {
    const index_t tiles = o.tiles(Kernel::tile);
    Kokkos::parallel_for("abax-lab::product", teams<Space>(tiles * tiles, Kernel::tile * Kernel::tile, Kernel::bytes),
                         Kernel{o, static_cast<int>(tiles)});
  }

  void add_classics() {
    constexpr auto each = [](int tile) { return backend_of<Space> == backend::host ? tile * tile : 1; };
    using apart = tiled_team<each(16), 16, 64, 80>;
    add_both<naive_team>("naive", [](auto... o) { handwritten::matrix_product_naive<float>(o...); });
    add_both<tiled_team<each(16), 16, 16>>("tiled 16 x 16, k by 16",
                                           [](auto... o) { handwritten::matrix_product_tiled<16, 16, float>(o...); });
    add_both<tiled_team<each(16), 16, 64>>("tiled 16 x 16, k by 64",
                                           [](auto... o) { handwritten::matrix_product_tiled<16, 64, float>(o...); });
    add_classic("tiled 16 x 16, k by 64, rows 80 words apart", "portable", launch<apart>);
    add_both<tiled_team<each(32), 32, 32>>("tiled 32 x 32, k by 32",
                                           [](auto... o) { handwritten::matrix_product_tiled<32, 32, float>(o...); });
  }

  static void production(const operands& o) {
    abax::gemm(Space(), "N", "N", 1.0F, matrix<Space, const float>(o.A, o.n, o.n),
               matrix<Space, const float>(o.B, o.n, o.n), 0.0F, matrix<Space, float>(o.C, o.n, o.n));
  }

  void add_vendor(const perf::peer& vendor) {
    const auto run = [this, &vendor] {  // column-major there: C^T = B^T A^T
      vendor.of<float>().gemm('N', 'N', n, n, n, 1, x.B, n, x.A, n, 0, x.C, n);
    };
    add(vendor.name, "vendor", run, [this] { return check_vendor(n, values_of(C)); }).notes["version"] = vendor.version;
  }

  /// From operands in page-locked memory to the result there.
  void add_with_copies(const std::string& name, void (*product)(const operands&), order how_summed) {
    const auto hA = uninitialised<pinned_array>(n * n), hB = uninitialised<pinned_array>(n * n),
               hC = uninitialised<pinned_array>(n * n);
    Kokkos::deep_copy(hA, A);
    Kokkos::deep_copy(hB, B);
    poison(hC);
    const auto run = [=, this] {
      Kokkos::deep_copy(Space(), A, hA);
      Kokkos::deep_copy(Space(), B, hB);
      product(x);
      Kokkos::deep_copy(Space(), hC, C);
    };
    const auto right = [=, this] { return check(n, values_of(hC), how_summed); };
    add(name + ", with the copies", "portable", run, right, false, timed_by::host);
  }

  void run(bool classic, const std::vector<perf::peer>& vendors) {
    if (classic) add_classics();
    add(
        "production", "portable", [this] { production(x); }, summed_in(order::canon));
    for (const perf::peer& vendor : vendors) add_vendor(vendor);
    if constexpr (backend_of<Space> == backend::device) {
      if (classic) add_with_copies("naive", launch<naive_team>, order::chain);
      add_with_copies("production", production, order::canon);
    }
    result.draw(bars({"Product of " + std::to_string(n) + " x " + std::to_string(n) + " floats on " +
                          perf::backend_name(backend_of<Space>),
                      "The naive kernel fetches two operands for each multiply-add; a tile of 16 x 16 fetches a "
                      "sixteenth of that from memory, but its limit are two words from scratch for each multiply-add. "
                      "Production kernels keep a block of C in each thread's registers, so that a word from scratch "
                      "serves many multiply-adds. The copies move n^2 numbers for n^3 operations."},
                     bars_of(all.finish(), rate_of("flops")), "GFLOP/s"));
  }
};

/// Which tile the plan picks under a scratch capacity, and how fast it is.
template <class Space>
void run_capacities(const settings& how, experiment_result& result, index_t n) {
  products<Space> p{how, result, n};
  const std::vector<capacity> all = plans_by_capacity(n, p.x.A, p.x.B, p.x.C);
  for (const capacity& c : all)
    if (c.launch)
      p.add("scratch of " + c.scratch, "portable", c.launch, p.summed_in(order::canon)).notes["plan"] = c.tile;
  const std::vector<case_result> cases = p.all.finish();
  table_rows rows;
  std::size_t next = 0;
  for (const capacity& c : all) {
    const auto rate = c.launch ? rate_of("flops")(cases[next++]) : std::nullopt;
    if (rate) rows.push_back({c.scratch, c.tile, std::to_string(c.bytes) + " bytes", text_of("%.0f", rate->value)});
    if (!c.launch && !how.once) rows.push_back({c.scratch, "none fits", "", ""});
  }
  result.draw(table({"What the plan picks where a team has less scratch",
                     "The plan takes, among the tiles whose stages fit, the one whose busiest multiprocessor is done "
                     "first. With more scratch tiles are wider, so that each element serves more threads, and stages "
                     "deeper, so that more fetches are in flight. Where not even the smallest tile fits, the library "
                     "says so before it launches anything.",
                     "", "", from_clock},
                    {"scratch of a team", "tile (rows x columns x terms)", "takes", "GFLOP/s at " + std::to_string(n)},
                    rows));
}

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  std::vector<std::string> names{"mkl", "openblas", "blis"};
  if (!on_host) names = {"cublas"};
  std::vector<perf::peer> vendors;
  if (!on_host || !how.small()) vendors = perf::find_peers(backend_of<Space>, names, {}).found;
  if (vendors.empty())
    result.left_out.push_back(
        "The vendor's product on " + perf::backend_name(backend_of<Space>) +
        (on_host && how.small() ? ": a quick run does without." : ": no such library was found here."));
  std::vector<index_t> sizes{1024, 2048, 4096, 8192};
  if (on_host) sizes = {1024, 4096};
  if (how.small()) sizes = {on_host ? 192 : 1024};
  for (const index_t n : sizes) products<Space>{how, result, n}.run(!on_host || n <= 1024, vendors);
  if (on_host)
    result.left_out.push_back("Naive and classic tiled products beyond 1024 on the CPU: they would take minutes.");
  if constexpr (!on_host) run_capacities<Space>(how, result, how.small() ? 1024 : 4096);
}

}  // namespace

void run_product_ladder(const settings& how, experiment_result& result) {
  result.text = {
      "A product of n x n matrices does 2 n^3 operations on 3 n^2 numbers: everything depends on how often a number "
      "is used between one fetch and the next. Scratch shares it between a team's threads, registers between a "
      "thread's own multiply-adds.",
      "Tiles need not divide the matrix: each side is guarded by its own extent, all threads reach every barrier, "
      "also those without an element, and a shorter last stage is cut instead of filled with zeros, which would lose "
      "a -0. Classic texts often fit multiples of the tile only, or return before a barrier.",
      "Staging k 64 at a time in tiles of 16 x 16 takes a quarter of the barriers and fetches the same, but a warp's "
      "two "
      "rows of A's stage then lie in the same banks. With rows 80 words apart the stage is as deep and has no "
      "conflicts. "
      "Where the compiler fetches four terms with one instruction, the deeper stage is faster in either case."};
  result.left_out.push_back(
      "On the CPU: copies, of which there are none, and scratch capacities: a tile is fitted to the caches there.");
  result.left_out.push_back(
      "Vector units for the classic kernels on a CPU: they are compiled for any machine of its kind, where a fused "
      "multiply-add is a call of the mathematical library. The production kernel chooses its instructions when it "
      "runs.");
  result.draw(stages_table());
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
}

}  // namespace abax::lab
