// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "transpose ladder": from a copy's speed down to the naive transpose's, and back up to it.
#include <Kokkos_Core.hpp>
#include <abax/stream.hpp>
#include <abax/transpose.hpp>

#include "rungs.hpp"
#include "runs.hpp"
#include "trace.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/check.hpp"
#include "backends/handwritten/handwritten.hpp"
#include "backends/handwritten/lab/ladders.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "transpose_ladder";
constexpr int tile = 32, threads = 256, each = tile * tile / threads;

/// A matrix and where its transpose goes, rows contiguous in both.
struct operands {
  index_t m, n;
  const float* A;
  float* B;

  index_t row_tiles() const { return (m + tile - 1) / tile; }
  index_t column_tiles() const { return (n + tile - 1) / tile; }
};

/// B <- A^T straight away: a team reads rows of A and writes columns of B.
template <class Space>
struct naive_team {
  operands x;
  int column_tiles;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const index_t first_row = index_t(team.league_rank() / column_tiles) * tile;
    const index_t first_column = index_t(team.league_rank() % column_tiles) * tile;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
      const index_t column = first_column + t % tile;
      for (int i = 0; i < each; ++i) {
        const index_t row = first_row + t / tile + i * (tile / each);
        if (row < x.m && column < x.n) x.B[column * x.m + row] = x.A[row * x.n + column];
      }
    });
  }
};

/// The same by way of a tile in scratch whose rows lie `Line` words apart. Turn: a row's words are exchanged by an XOR
/// with its number.
template <class Space, int Line, bool Turn>
struct tiled_team {
  operands x;
  int column_tiles;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int at(int row, int column) {
    return row * Line + (Turn ? column ^ row : column);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes() { return sizeof(float) * tile * Line; }

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const index_t first_row = index_t(team.league_rank() / column_tiles) * tile;
    const index_t first_column = index_t(team.league_rank() % column_tiles) * tile;
    float* const a_tile = static_cast<float*>(team.team_shmem().get_shmem_aligned(bytes(), 16));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
      const int c = t % tile;  // neighbours along a row of A
      float a[each] = {};
      for (int i = 0; i < each; ++i) {  // all on their way before the first is stored
        const int r = t / tile + i * (tile / each);
        if (first_row + r < x.m && first_column + c < x.n) a[i] = x.A[(first_row + r) * x.n + first_column + c];
      }
      for (int i = 0; i < each; ++i) a_tile[at(t / tile + i * (tile / each), c)] = a[i];
    });
    team.team_barrier();  // the tile is complete
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int t) {
      const int r = t % tile;  // neighbours along a row of B, which is a column of A
      for (int i = 0; i < each; ++i) {
        const int c = t / tile + i * (tile / each);
        if (first_row + r < x.m && first_column + c < x.n)
          x.B[(first_column + c) * x.m + first_row + r] = a_tile[at(r, c)];
      }
    });
  }
};

/// Counts wrong elements of the transpose of operand 1.
struct wrong_transpose {
  index_t m, n;
  const float* B;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& found) const {
    const float want = perf::input<float>(1, i % m * n + i / m);
    found += Kokkos::bit_cast<std::uint32_t>(B[i]) != Kokkos::bit_cast<std::uint32_t>(want);
  }
};
struct wrong_copy {
  const float* B;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& found) const {
    found += Kokkos::bit_cast<std::uint32_t>(B[i]) != Kokkos::bit_cast<std::uint32_t>(perf::input<float>(1, i));
  }
};

/// What one team asks for, times the teams: all are alike where tiles fill the matrix.
template <class At>
std::vector<access> predict(const operands& x, bool through_tile, const At& at) {
  const launch_shape one{1, threads, tile * tile / threads};
  const auto element = [](int t, int step) { return t + step * threads; };
  std::vector<access> all;
  all.push_back(global_access("load rows of A", 4, one, [&](int, int t, int s) {
    const int e = element(t, s);
    return 4 * (e / tile * x.n + e % tile);
  }));
  if (through_tile) {
    all.push_back(scratch_access("store rows to scratch", 4, one, [&](int, int t, int s) {
      const int e = element(t, s);
      return 4 * at(e / tile, e % tile);
    }));
    all.push_back(scratch_access("load columns from scratch", 4, one, [&](int, int t, int s) {
      const int e = element(t, s);
      return 4 * at(e % tile, e / tile);
    }));
  }
  all.push_back(global_access(through_tile ? "store rows of B" : "store columns of B", 4, one, [&](int, int t, int s) {
    const int e = element(t, s);
    return through_tile ? 4 * (e / tile * x.m + e % tile) : 4 * (e % tile * x.m + e / tile);
  }));
  const double teams = static_cast<double>(x.row_tiles() * x.column_tiles());
  for (access& a : all)
    for (auto& [name, value] : a.model)  // the totals of the launch
      if (!name.ends_with("_per_request") && !name.starts_with("share_") && name != "worst_conflict") value *= teams;
  return all;
}

template <class Space, class Functor>
void launch(const operands& x, std::size_t bytes) {
  Kokkos::parallel_for(experiment_name,
                       teams<Space>(static_cast<int>(x.row_tiles() * x.column_tiles()), threads, bytes),
                       Functor{x, static_cast<int>(x.column_tiles())});
}

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  const index_t size = small(how) ? 1024 : on_host ? 4096 : 8192;
  const index_t odd_m = 1000, odd_n = 777;  // no multiple of any tile
  const array<Space> A = random_floats<Space>("A", 1, size * size), B = poisoned<Space>("B", size * size);
  using view = Kokkos::View<float**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
  rungs all(how, backend_of<Space>, result);
  const std::string sized = std::to_string(size) + "/";  // counts of one size are no other's

  const operands timed{size, size, A.data(), B.data()}, odd{odd_m, odd_n, A.data(), B.data()};
  const auto add = [&](const char* name, const char* variant, const std::function<void(const operands&)>& run,
                       std::vector<access> accesses) {
    case_result c = case_of<Space>(experiment_name, sized + name, variant);
    c.accesses = std::move(accesses);
    const auto require_right = [&, c](const operands& x) {
      if (const index_t wrong = count<Space>(x.m * x.n, wrong_transpose{x.m, x.n, x.B}))
        throw wrong_output(c, std::to_string(wrong) + " elements of a transpose of " + std::to_string(x.m) + " x " +
                                  std::to_string(x.n) + " are wrong");
    };
    poison<Space>(B);
    run(odd);
    Space().fence();
    require_right(odd);
    poison<Space>(B);
    all.add(
           std::move(c), [run, timed] { run(timed); },
           [&] {
             require_right(timed);
             return "bits of every element, " + std::to_string(size) + " x " + std::to_string(size) + " and " +
                    std::to_string(odd_m) + " x " + std::to_string(odd_n);
           })
        .given["bytes"] = 8.0 * static_cast<double>(size * size);
  };

  const auto check_copy = [&] {
    if (const index_t wrong = count<Space>(size * size, wrong_copy{B.data()}))
      throw wrong_output(case_of<Space>(experiment_name, sized + "copy", "portable"),
                         std::to_string(wrong) + " elements");
    return std::string("bits of every element");
  };
  case_result copy = case_of<Space>(experiment_name, sized + "copy", "portable");
  copy.label.clear();  // moves as many bytes; nothing of it is predicted
  all.add(
         copy, [A, B] { abax::copy(Space(), A, B); }, check_copy)
      .given["bytes"] = 8.0 * double(size * size);

  const auto plain = [](int row, int column) { return row * tile + column; };
  add(
      "naive", "portable", [](const operands& x) { launch<Space, naive_team<Space>>(x, 0); },
      predict(timed, false, plain));
  using tiled = tiled_team<Space, tile, false>;
  using padded = tiled_team<Space, tile + 1, false>;
  using swizzled = tiled_team<Space, tile, true>;
  add(
      "tiled", "portable", [](const operands& x) { launch<Space, tiled>(x, tiled::bytes() + 16); },
      predict(timed, true, tiled::at));
  add(
      "padded", "portable", [](const operands& x) { launch<Space, padded>(x, padded::bytes() + 16); },
      predict(timed, true, padded::at));
  add(
      "swizzled", "portable", [](const operands& x) { launch<Space, swizzled>(x, swizzled::bytes() + 16); },
      predict(timed, true, swizzled::at));
  add("production", "portable",
      [](const operands& x) {
        abax::transpose(
            Space(),
            Kokkos::View<const float**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>(
                x.A, x.m, x.n),
            view(x.B, x.n, x.m));
      },
      {});
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (!on_host) {
    const cudaStream_t stream = Space().cuda_stream();
    const auto classic = [stream](auto run) {
      return [run, stream](const operands& x) { run(x.m, x.n, x.A, x.n, x.B, x.m, stream); };
    };
    add("naive", "handwritten", classic(handwritten::transpose_naive<float>), predict(timed, false, plain));
    add("tiled", "handwritten", classic(handwritten::transpose_tiled<float>), predict(timed, true, tiled::at));
    add("padded", "handwritten", classic(handwritten::transpose_padded<float>), predict(timed, true, padded::at));
    add("swizzled", "handwritten", classic(handwritten::lab::transpose_swizzled), predict(timed, true, swizzled::at));
    poison<Space>(B);
    case_result driver = case_of<Space>(experiment_name, sized + "copy", "vendor");
    driver.label.clear();
    driver.notes["call"] = "cudaMemcpyAsync";
    const std::size_t bytes = 4 * static_cast<std::size_t>(size * size);
    all.add(
           driver,
           [A, B, bytes, stream] {
             handwritten::check(cudaMemcpyAsync(B.data(), A.data(), bytes, cudaMemcpyDeviceToDevice, stream),
                                "cudaMemcpyAsync");
           },
           check_copy)
        .given["bytes"] = 8.0 * double(size * size);
  }
#endif
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  result.figures.push_back(
      bars({"Transpose of " + std::to_string(size) + " x " + std::to_string(size) + " floats on " +
                perf::backend_name(backend_of<Space>),
            "Every rung moves the same bytes, so a copy is the most that any can reach. The naive kernel writes each "
            "element of a warp to a line of its own; a tile in scratch turns them so that both sides run along lines; "
            "padding or swizzling takes the bank conflicts out of the tile. What is left between there and the copy "
            "needs wider accesses and more of them in flight: that is the production kernel."},
           rate_bars(cases, "bytes", cases.front().measured.at("bytes_per_second") * 1e-9), "GB/s, read and written"));
}

}  // namespace

void run_transpose_ladder(const settings& how, experiment_result& result) {
  result.text = {
      "A transpose computes nothing: it is a copy whose two sides run along memory in different directions. One of "
      "them must cross the lines unless the elements change hands on chip, and scratch is where they do.",
      "All tiles guard rows with the matrix' rows and columns with its columns, so a matrix need not be a multiple of "
      "the tile: 1000 x 777 is checked beside the timed size. Classic texts often fit multiples only, or test the "
      "column against the number of rows, which a square matrix hides.",
      "Swizzling needs no memory and is as free of conflicts as padding, but each access computes a place of its own, "
      "where those of a padded tile lie a constant apart.",
      "The padded tile is read by columns: that is the access that conflicts. A padded kernel that reads rows again is "
      "free of conflicts with or without its padding, and shows nothing."};
  if (!perf::has_device()) result.left_out.push_back("The hand-written twins: this build has no GPU backend.");
  result.left_out.push_back(
      "On a CPU scratch is the core's cache: banks do not exist, so padded and swizzled tiles differ there only in the "
      "arithmetic of their indices.");
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
}

}  // namespace abax::lab
