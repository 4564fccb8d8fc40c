// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "transpose ladder": a transpose, from the naive kernel up to the speed of a copy.
#include <abax/stream.hpp>
#include <abax/transpose.hpp>

#include "arrays.hpp"
#include "figures.hpp"
#include "handwritten/handwritten.hpp"
#include "handwritten/lab/ladders.hpp"
#include "model/layout.hpp"
#include "trace.hpp"

namespace abax::lab {
namespace {

using model::layout;

constexpr int tile = 32, threads = 256, each = tile * tile / threads;
constexpr layout plain = layout::plain(tile, tile), padded = layout::padded(tile, tile, 1),
                 swizzled = layout::swizzled(tile, tile, 1);

/// A matrix and where its transpose goes, rows contiguous in both.
struct operands {
  index_t m, n;
  const float* A;
  float* B;

  index_t row_tiles() const { return (m + tile - 1) / tile; }
  KOKKOS_FUNCTION int column_tiles() const { return static_cast<int>((n + tile - 1) / tile); }
};

/// Calls body(row, column) for the elements of the team's tile, a thread's one after another; neighbouring threads have
/// neighbouring columns.
template <class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_element(const Team& team, const Body& body) {
  const int all = threads;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
    for (int i = 0; i < each; ++i) body(t / tile + i * (tile / each), t % tile);
  });
}

/// B <- A^T straight away: a team reads rows of A and writes columns of B.
struct naive_team {
  static constexpr std::size_t bytes = 0;
  operands x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t first_row = index_t(team.league_rank() / x.column_tiles()) * tile;
    const index_t first_column = index_t(team.league_rank() % x.column_tiles()) * tile;
    for_each_element(team, [&](int r, int c) {
      const index_t row = first_row + r, column = first_column + c;
      if (row < x.m && column < x.n) x.B[column * x.m + row] = x.A[row * x.n + column];
    });
  }
};

/// The same by way of a tile in scratch.
template <layout Layout>
struct tiled_team {
  static constexpr std::size_t bytes = sizeof(float) * Layout.size();
  operands x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t first_row = index_t(team.league_rank() / x.column_tiles()) * tile;
    const index_t first_column = index_t(team.league_rank() % x.column_tiles()) * tile;
    float* const a_tile = scratch_of<float>(team, bytes);
    const int all = threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, all), [&](int t) {
      const int c = t % tile;  // neighbours along a row of A
      float a[each] = {};
      for (int i = 0; i < each; ++i) {  // all loads are issued before the first store
        const int r = t / tile + i * (tile / each);
        if (first_row + r < x.m && first_column + c < x.n) a[i] = x.A[(first_row + r) * x.n + first_column + c];
      }
      for (int i = 0; i < each; ++i) a_tile[Layout(t / tile + i * (tile / each), c)] = a[i];
    });
    team.team_barrier();                        // the tile is complete
    for_each_element(team, [&](int c, int r) {  // neighbours along a row of B, which is a column of A
      if (first_row + r < x.m && first_column + c < x.n)
        x.B[(first_column + c) * x.m + first_row + r] = a_tile[Layout(r, c)];
    });
  }
};

/// Element i of the transpose of operand 1, which is m x n.
struct transposed_input {
  index_t m, n;

  KOKKOS_FUNCTION float operator()(index_t i) const { return perf::input<float>(1, i % m * n + i / m); }
};

/// What one team asks for, times the teams: all are alike where tiles fill the matrix.
std::vector<access> predict(const operands& x, const layout* through) {
  const launch_shape one{1, threads, each};
  const auto along_rows = [](const auto& at) {
    return [&at](int, int t, int s) { return 4 * at((t + s * threads) / tile, (t + s * threads) % tile); };
  };
  const auto along_columns = [](const auto& at) {
    return [&at](int, int t, int s) { return 4 * at((t + s * threads) % tile, (t + s * threads) / tile); };
  };
  const auto in_A = [&](index_t row, index_t column) { return row * x.n + column; };
  const auto in_B = [&](index_t row, index_t column) { return row * x.m + column; };
  std::vector<access> all{global_access("load rows of A", 4, one, along_rows(in_A))};
  if (through != nullptr) {
    all.push_back(scratch_access("store rows to scratch", 4, one, along_rows(*through)));
    all.push_back(scratch_access("load columns from scratch", 4, one, along_columns(*through)));
    all.push_back(global_access("store rows of B", 4, one, along_rows(in_B)));
  } else {
    all.push_back(global_access("store columns of B", 4, one, along_columns(in_B)));
  }
  for (access& a : all)
    for (auto& [name, value] : a.model)  // the totals of the launch
      if (!name.ends_with("_per_request") && !name.starts_with("share_") && name != "worst_conflict")
        value *= static_cast<double>(x.row_tiles() * x.column_tiles());
  return all;
}

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  const index_t size = how.small() ? 1024 : backend_of<Space> == backend::host ? 4096 : 8192;
  const array<Space> A = inputs<Space>(1, size * size), B = uninitialised<array<Space>>(size * size);
  const operands timed{size, size, A.data(), B.data()}, odd{1000, 777, A.data(), B.data()};  // odd: cuts every tile
  const std::string sized = std::to_string(size) + "/";  // counts of one size are no other's
  const std::map<std::string, double> given{{"bytes", 8.0 * static_cast<double>(size * size)}};
  bench all(how, backend_of<Space>, result);

  const auto add_copy = [&](const char* variant, const std::function<void()>& run) -> case_result& {
    poison(B);
    const auto right = [&] { return require<Space>(B.data(), size * size, input_of{1}); };
    return all.add(sized + "copy", variant, run, right, given);
  };
  const auto add = [&](const char* name, const char* variant, std::vector<access> accesses, const auto& run) {
    const auto check = [&](const operands& x) { require<Space>(x.B, x.m * x.n, transposed_input{x.m, x.n}); };
    const auto right = [&] {
      check(timed);
      poison(B);
      run(odd);
      Space().fence();
      check(odd);
      return "bits of every element, " + std::to_string(size) + " x " + std::to_string(size) + " and 1000 x 777";
    };
    poison(B);
    all.add({sized + name, variant, [=] { run(timed); }, right, given, std::move(accesses), {}, true});
  };
  /// A kernel and its twin.
  const auto add_both = [&]<class Kernel>(const char* name, const layout* through, Kernel, const auto& twin) {
    add(name, "portable", predict(timed, through), [](const operands& x) {
      Kokkos::parallel_for("abax-lab::transpose",
                           teams<Space>(x.row_tiles() * x.column_tiles(), threads, Kernel::bytes), Kernel{x});
    });
    if constexpr (backend_of<Space> == backend::device)
      add(name, "handwritten", predict(timed, through),
          [=](const operands& x) { twin(x.m, x.n, x.A, x.n, x.B, x.m, stream<Space>()); });
  };

  add_copy("portable", [=] { abax::copy(Space(), A, B); });
  add_both("naive", nullptr, naive_team{}, [](auto... x) { handwritten::transpose_naive<float>(x...); });
  add_both("tiled", &plain, tiled_team<plain>{}, [](auto... x) { handwritten::transpose_tiled<float>(x...); });
  add_both("padded", &padded, tiled_team<padded>{}, [](auto... x) { handwritten::transpose_padded<float>(x...); });
  add_both("swizzled", &swizzled, tiled_team<swizzled>{},
           [](auto... x) { handwritten::lab::transpose_swizzled(x...); });
  add("production", "portable", {}, [](const operands& x) {
    abax::transpose(Space(), matrix<Space, const float>(x.A, x.m, x.n), matrix<Space, float>(x.B, x.n, x.m));
  });
  if constexpr (backend_of<Space> == backend::device)
    add_copy("vendor", [=] {
      handwritten::lab::copy_bytes(B.data(), A.data(), sizeof(float) * A.size(), stream<Space>());
    }).notes["call"] = "cudaMemcpyAsync";
  const std::vector<case_result> cases = all.finish();
  std::vector<bar> rows = bars_of(cases, rate_of("bytes"));
  for (bar& b : rows) b.share = b.length.value / rows.front().length.value;
  result.draw(bars({"Transpose of " + sized.substr(0, sized.size() - 1) + " x " + std::to_string(size) + " floats on " +
                        perf::backend_name(backend_of<Space>),
                    "Every kernel moves the same bytes, so a copy is the most that any can reach. The naive kernel "
                    "writes each element of a warp to a line of its own; with a tile in scratch both sides run along "
                    "lines, and padding or swizzling removes the tile's bank conflicts. The production kernel adds "
                    "wider accesses, and more of them in flight."},
                   rows, "GB/s, read and written"));
}

}  // namespace

void run_transpose_ladder(const settings& how, experiment_result& result) {
  result.text = {
      "A transpose computes nothing: it is a copy whose two sides run along memory in different directions. One of "
      "them "
      "must cross the lines unless the elements are exchanged on chip, which is what scratch is for.",
      "All kernels guard rows by the number of rows and columns by the number of columns, so a matrix need not be a "
      "multiple of the tile: 1000 x 777 is checked beside the timed size. Classic texts often compare the column with "
      "the number of rows, a mistake that square matrices do not show.",
      "A swizzle needs no memory and is as free of conflicts as padding, but each access computes its own place, where "
      "those of a padded tile lie a constant apart. The tile is read by columns, the access that conflicts; a kernel "
      "that reads rows again has no conflicts with or without padding."};
  result.left_out.push_back(
      "On a CPU scratch is the core's cache: banks do not exist, so padded and swizzled tiles differ there only in the "
      "arithmetic of their indices.");
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
}

}  // namespace abax::lab
