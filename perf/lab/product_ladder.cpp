// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "product ladder": a matrix product from the naive kernel to the vendor's, with and without the way to the
// device, and under less scratch.
#include <Kokkos_Core.hpp>
#include <abax/gemm.hpp>
#include <cmath>

#include "../suite/peers/peers.hpp"
#include "product_check.hpp"
#include "rungs.hpp"
#include "runs.hpp"
#include "tile/banks.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/handwritten.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "product_ladder";

/// C <- A B, square, rows contiguous.
struct operands {
  index_t n;
  const float *A, *B;
  float* C;
};

/// Elements of C that one thread of a team computes: on a host, where a team is one thread, all of them.
template <class Space, int Tile>
inline constexpr int each = backend_of<Space> == backend::host ? Tile* Tile : 1;

/// A thread per element of C, every operand read from memory.
template <class Space>
struct naive_team {
  static constexpr int tile = 16;
  operands x;
  int tiles;  // along a row of C

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
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

/// A team computes Tile x Tile elements of C and stages Depth terms of k at a time: what is fetched serves Tile
/// threads. Rows of A's stage lie Line words apart.
template <class Space, int Tile, int Depth, int Line = Depth>
struct tiled_team {
  static constexpr int tile = Tile;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes() { return sizeof(float) * Tile * (Line + Depth); }
  operands x;
  int tiles;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    constexpr int mine = each<Space, Tile>;
    const index_t first_row = index_t(team.league_rank() / tiles) * Tile;
    const index_t first_column = index_t(team.league_rank() % tiles) * Tile;
    const int rank = team.team_rank();
    float* const a_tile = static_cast<float*>(team.team_shmem().get_shmem_aligned(bytes(), 16));  // (Tile, Depth)
    float* const b_tile = a_tile + Tile * Line;                                                   // (Depth, Tile)
    float sum[mine] = {};
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
        for (int i = 0; i < mine; ++i) add<Depth>(a_tile, b_tile, rank + i, Depth, sum[i]);
      else  // cut, not run over zeros: fma(+0, +0, -0) is +0
        for (int i = 0; i < mine; ++i) add<1>(a_tile, b_tile, rank + i, terms, sum[i]);
      team.team_barrier();  // every thread is done with the stage
    }
    for (int i = 0; i < mine; ++i) {
      const index_t row = first_row + (rank + i) / Tile, column = first_column + (rank + i) % Tile;
      if (row < x.n && column < x.n) x.C[row * x.n + column] = sum[i];
    }
  }

  /// sum <- the chain over `terms` more terms, a multiple of Each, of element e of the tile.
  template <int Each>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const float* a_tile, const float* b_tile, int e, int terms, float& sum) {
    for (int first = 0; first < terms; first += Each)
      for (int p = first; p < first + Each; ++p)
        sum = Kokkos::fma(a_tile[e / Tile * Line + p], b_tile[p * Tile + e % Tile], sum);
  }
};

/// What the model says of the tiles' accesses to scratch.
figure stages_table() {
  struct stage {
    const char* name;
    int tile, line;
  };
  constexpr stage stages[] = {{"16 x 16, k by 16", 16, 16},
                              {"16 x 16, k by 64", 16, 64},
                              {"16 x 16, k by 64, rows 80 words apart", 16, 80},
                              {"32 x 32, k by 32", 32, 32}};
  std::vector<std::vector<std::string>> rows;
  for (const stage& s : stages) {
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
       "In a tile of 16 columns a warp covers two rows of C, so for each term it loads two words of A's stage, one for "
       "each row. Where rows of the stage lie 64 words apart both words are in one bank, and a load or store takes two "
       "wavefronts instead of one. An instruction that fetches four terms takes two in either case.",
       "", "", from_model},
      {"tile", "load a term of A", "load four terms of A", "load a term of B", "store a row of A"}, rows);
}

template <class Space, class Functor>
void launch(const operands& x, std::size_t bytes) {
  const int tiles = static_cast<int>((x.n + Functor::tile - 1) / Functor::tile);
  auto policy = teams<Space>(tiles * tiles, Functor::tile * Functor::tile, bytes);
  Kokkos::parallel_for(experiment_name, policy, Functor{x, tiles});
}

template <class Space>
using matrix = Kokkos::View<float**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
template <class Space>
using const_matrix =
    Kokkos::View<const float**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>;

template <class Space>
void production(const operands& x) {
  const auto n = static_cast<std::size_t>(x.n);
  abax::gemm(Space(), "N", "N", 1.0F, const_matrix<Space>(x.A, n, n), const_matrix<Space>(x.B, n, n), 0.0F,
             matrix<Space>(x.C, n, n));
}

/// The vendor's own order is not ours: every element within the bound of a chain, in the sample.
template <class Space>
std::string check_vendor(const case_result& c, index_t n, const array<Space>& C) {
  const std::vector<float> all = values_of(C);
  const std::vector<perf::place> places = perf::sample(n, n, 60);
  int equal = 0;
  for (const perf::place& p : places) {
    double exact = 0, scale = 0;
    for (index_t t = 0; t < n; ++t) {
      const double term = double(perf::input<float>(1, p.i * n + t)) * double(perf::input<float>(2, t * n + p.j));
      exact += term;
      scale += std::abs(term);
    }
    const float found = all[static_cast<std::size_t>(p.i * n + p.j)];
    if (!(std::abs(double(found) - exact) <= 0x1p-24 * double(n + 2) * scale))
      throw wrong_output(c, "element (" + std::to_string(p.i) + ", " + std::to_string(p.j) + ")");
    equal += found == expected(n, p, order::chain);
  }
  return std::to_string(places.size()) + " elements within the bound of a chain, " + std::to_string(equal) +
         " of them with the bits of one";
}

template <class Space>
void run_size(const settings& how, experiment_result& result, index_t n, bool classic,
              std::span<const perf::peer> vendors) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  const array<Space> A = random_floats<Space>("A", 1, n * n), B = random_floats<Space>("B", 2, n * n);
  const array<Space> C = poisoned<Space>("C", n * n);
  const operands x{n, A.data(), B.data(), C.data()};
  rungs all(how, backend_of<Space>, result);
  const auto named = [&](const std::string& name, const char* variant, bool counted) {
    case_result c = case_of<Space>(experiment_name, std::to_string(n) + "/" + name, variant);
    if (!counted) c.label.clear();
    c.given["flops"] = 2.0 * std::pow(static_cast<double>(n), 3);
    poison<Space>(C);
    return c;
  };
  const auto add = [&](const char* name, const char* variant, const std::function<void(const operands&)>& run) {
    case_result c = named(name, variant, true);
    constexpr index_t odd = 77;  // no multiple of any tile
    const array<Space> a = random_floats<Space>("A", 1, odd * odd), b = random_floats<Space>("B", 2, odd * odd);
    run({odd, a.data(), b.data(), C.data()});
    Space().fence();
    check<Space>(c, odd, C, order::chain);
    poison<Space>(C);
    all.add(
        c, [run, x] { run(x); }, [&] { return check<Space>(c, n, C, order::chain) + "; the same at 77 x 77"; });
  };
  if (classic) {
    using t16 = tiled_team<Space, 16, 16>;
    using t64 = tiled_team<Space, 16, 64>;
    using t64_apart = tiled_team<Space, 16, 64, 80>;
    using t32 = tiled_team<Space, 32, 32>;
    add("naive", "portable", [](const operands& o) { launch<Space, naive_team<Space>>(o, 0); });
    add("tiled 16 x 16, k by 16", "portable", [](const operands& o) { launch<Space, t16>(o, t16::bytes() + 16); });
    add("tiled 16 x 16, k by 64", "portable", [](const operands& o) { launch<Space, t64>(o, t64::bytes() + 16); });
    add("tiled 16 x 16, k by 64, rows 80 words apart", "portable",
        [](const operands& o) { launch<Space, t64_apart>(o, t64_apart::bytes() + 16); });
    add("tiled 32 x 32, k by 32", "portable", [](const operands& o) { launch<Space, t32>(o, t32::bytes() + 16); });
  }
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (!on_host) {
    const cudaStream_t stream = Space().cuda_stream();
    using product = void (*)(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t, const float*,
                             std::int64_t, float*, std::int64_t, cudaStream_t);
    const auto twin = [&](const char* name, product run) {
      add(name, "handwritten",
          [run, stream](const operands& o) { run(o.n, o.n, o.n, o.A, o.n, o.B, o.n, o.C, o.n, stream); });
    };
    if (classic) {
      twin("naive", handwritten::matrix_product_naive<float>);
      twin("tiled 16 x 16, k by 16", handwritten::matrix_product_tiled<16, 16, float>);
      twin("tiled 16 x 16, k by 64", handwritten::matrix_product_tiled<16, 64, float>);
      twin("tiled 32 x 32, k by 32", handwritten::matrix_product_tiled<32, 32, float>);
    }
  }
#endif
  const auto on_device = [x] { production<Space>(x); };
  case_result c = named("production", "portable", false);
  all.add(c, on_device, [&] { return check<Space>(c, n, C, order::canon); });
  for (const perf::peer& vendor : vendors) {
    // Column-major there: C^T = B^T A^T.
    const auto call = [x, &vendor] { vendor.f32->gemm('N', 'N', x.n, x.n, x.n, x.B, x.A, x.C); };
    case_result v = named(vendor.name, "vendor", false);
    v.notes["version"] = vendor.version;
    all.add(v, call, [&] { return check_vendor<Space>(v, n, C); });
  }
  if constexpr (!on_host) {
    // The whole way: operands from page-locked memory, the result back to it.
    using pinned = Kokkos::View<float*, Kokkos::SharedHostPinnedSpace>;
    const auto size = static_cast<std::size_t>(n * n);
    const pinned hA(Kokkos::view_alloc(Kokkos::WithoutInitializing, "A"), size),
        hB(Kokkos::view_alloc(Kokkos::WithoutInitializing, "B"), size),
        hC(Kokkos::view_alloc(Kokkos::WithoutInitializing, "C"), size);
    Kokkos::deep_copy(hA, A);
    Kokkos::deep_copy(hB, B);
    const auto with_copies = [=](const std::function<void()>& product) {
      return [=] {
        const Space space;
        Kokkos::deep_copy(space, A, hA);
        Kokkos::deep_copy(space, B, hB);
        product();
        Kokkos::deep_copy(space, hC, C);
      };
    };
    const auto add_with_copies = [&](const char* name, const std::function<void()>& product, order how_summed) {
      case_result w = named(std::string(name) + ", with the copies", "portable", false);
      Kokkos::deep_copy(hC, 0.0F);
      const auto check_first = [&] {
        const auto back = Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), hC);
        Kokkos::deep_copy(C, back);  // what arrived, not what was computed
        return check<Space>(w, n, C, how_summed);
      };
      all.add(w, with_copies(product), check_first, timed_by::host);
    };
    if (classic)
      add_with_copies(
          "naive", [x] { launch<Space, naive_team<Space>>(x, 0); }, order::chain);
    add_with_copies("production", on_device, order::canon);
  }
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  result.figures.push_back(
      bars({"Product of " + std::to_string(n) + " x " + std::to_string(n) + " floats on " +
                perf::backend_name(backend_of<Space>),
            "Every kernel computes the same sums in the same order. The naive one fetches two operands for each "
            "multiply-add; a tile of 16 x 16 in scratch fetches a sixteenth of that from memory, but still two words "
            "from scratch for each multiply-add, which is what limits it. Production kernels give each thread a patch "
            "of C, so that a word from scratch serves many multiply-adds in registers. The copies to and from the "
            "device cost n^2 where the product costs n^3: they matter least in large products."},
           rate_bars(cases, "flops"), "GFLOP/s"));
}

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  std::vector<std::string> names{"mkl", "openblas", "blis"};
  if (!on_host) names = {"cublas"};
  std::vector<perf::peer> vendors;
  if (!on_host || !small(how)) vendors = perf::find_peers(backend_of<Space>, names, {}).found;
  if (vendors.empty())
    result.left_out.push_back(
        "The vendor's product on " + perf::backend_name(backend_of<Space>) +
        (on_host && small(how) ? ": a quick run does without." : ": no such library was found here."));
  if (small(how)) {
    run_size<Space>(how, result, on_host ? 192 : 1024, true, vendors);
  } else if (on_host) {
    run_size<Space>(how, result, 1024, true, vendors);
    run_size<Space>(how, result, 4096, false, vendors);
    result.left_out.push_back("Naive and classic tiled products beyond 1024 on the CPU: they would take minutes.");
  } else {
    for (const index_t n : {1024, 2048, 4096, 8192}) run_size<Space>(how, result, n, true, vendors);
  }
}

}  // namespace

void run_product_ladder(const settings& how, experiment_result& result) {
  result.text = {
      "A product of n x n matrices does 2 n^3 operations on 3 n^2 numbers: everything depends on how often a number "
      "that was fetched is used before it is fetched again. Scratch shares it between a team's threads, registers "
      "between a thread's own multiply-adds.",
      "Tiles need not divide the matrix: each side is guarded by its own extent, all threads meet at every barrier, "
      "also those without an element, and a last stage that is shorter is cut instead of filled with zeros, which "
      "would lose a -0. Classic texts often fit multiples of the tile only, or return before a barrier.",
      "Staging k 64 at a time instead of 16 at a time in tiles of 16 x 16 takes 8 KB instead of 2 KB and a quarter of "
      "the barriers, and fetches the same. But a warp's two rows of A's stage then lie 64 words apart, in the same "
      "banks: a load of one term takes two wavefronts instead of one, and the deeper stage is the slower one. A rung "
      "whose rows lie 80 words apart is as deep, and free of that. Where the compiler fetches four terms with one "
      "instruction, it takes two wavefronts either way, and fewer barriers win a little: then the deeper stage is the "
      "faster one. Depth costs nothing by itself."};
  if (!perf::has_device())
    result.left_out.push_back(
        "The hand-written twins, the copies to and from a device, and the choice of a tile under a scratch capacity: "
        "this build has no GPU backend. (On a CPU a tile is fitted to the caches, not to a capacity.)");
  else
    result.left_out.push_back(
        "On the CPU: copies, of which there are none, and scratch capacities: a tile is fitted to the caches there.");
  result.left_out.push_back(
      "Vector units for the classic rungs on a CPU: they are compiled for any machine of its kind, where a fused "
      "multiply-add is a call of the mathematical library. The production kernel chooses its instructions when it "
      "runs.");
  result.figures.push_back(stages_table());
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
#if defined(KOKKOS_ENABLE_CUDA)
  if (how.wants(backend::device)) run_product_capacities(how, result, small(how) ? 1024 : 4096);
#endif
}

}  // namespace abax::lab
