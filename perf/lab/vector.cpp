// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "vector": a matrix-vector product with blocks of static and of run-time size, partial tiles, an output
// that the host reads in place, and the question what is worth staging.
#include <Kokkos_Core.hpp>
#include <abax/gemv.hpp>
#include <cmath>

#include "rungs.hpp"
#include "runs.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/handwritten/check.hpp"
#include "backends/handwritten/handwritten.hpp"
#include "backends/handwritten/lab/ladders.hpp"
#endif

namespace abax::lab {
namespace {

constexpr const char* experiment_name = "vector";

/// y <- A x, rows of A contiguous.
struct operands {
  index_t m, n;
  const float *A, *x;
  float* y;
};

/// What a team stages in scratch.
enum class staged { nothing, vector, both };

/// A thread per row; a team takes `rows` of them and `depth` terms at a time, numbers known to the compiler (Rows > 0)
/// or only at the launch.
template <class Space, staged What, int Rows>
struct rows_team {
  static constexpr bool on_host = backend_of<Space> == backend::host;
  operands o;
  int run_time_rows, run_time_depth;

  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return Rows > 0 ? Rows : run_time_rows; }
  KOKKOS_FORCEINLINE_FUNCTION int depth() const { return What == staged::both ? 32 : Rows > 0 ? Rows : run_time_depth; }
  KOKKOS_FORCEINLINE_FUNCTION int line() const { return depth() + 1; }  // of the tile: padded against conflicts
  std::size_t bytes() const {
    if (What == staged::nothing) return 0;
    const int words = depth() + (What == staged::both ? rows() * line() : 0);
    return sizeof(float) * static_cast<std::size_t>((words + 3) / 4 * 4);
  }

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const index_t first_row = index_t(team.league_rank()) * rows();
    constexpr int mine = on_host ? 1024 : 1;  // a team's rows on the host, where it is one thread
    float sum[mine] = {};
    const auto for_each_row = [&](const auto& each) {
      int i = 0;
      for (int r = team.team_rank(); r < rows(); r += team.team_size(), ++i)
        if (first_row + r < o.m) each(r, sum[mine == 1 ? 0 : i]);  // guard: the rows end within the team
    };
    if constexpr (What == staged::nothing) {
      for_each_row([&](int r, float& s) {
        for (index_t p = 0; p < o.n; ++p) s = Kokkos::fma(o.A[(first_row + r) * o.n + p], o.x[p], s);
      });
    } else {
      float* const x_piece = static_cast<float*>(
          team.team_shmem().get_shmem_aligned(sizeof(float) * static_cast<std::size_t>(words()), 16));
      float* const a_tile = x_piece + depth();
      for (index_t first = 0; first < o.n; first += depth()) {
        const int terms = static_cast<int>(o.n - first < depth() ? o.n - first : depth());
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, terms),  // guard: x ends within the piece, by n, not by m
                             [&](int p) { x_piece[p] = o.x[first + p]; });
        if constexpr (What == staged::both) {
          constexpr int in_flight = 8;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows() * depth() / in_flight), [&](int e) {
            const int apart = rows() / in_flight, p = e % depth();
            float a[in_flight] = {};
            for (int i = 0; i < in_flight; ++i) {  // all on their way before the first is stored
              const index_t row = first_row + e / depth() + i * apart;
              if (row < o.m && p < terms) a[i] = o.A[row * o.n + first + p];  // guard: rows end, or terms
            }
            for (int i = 0; i < in_flight; ++i) a_tile[(e / depth() + i * apart) * line() + p] = a[i];
          });
        }
        team.team_barrier();  // the stage is complete
        for_each_row([&](int r, float& s) {
          for (int p = 0; p < terms; ++p)  // guard: the chain is cut, not run over zeros
            s = Kokkos::fma(What == staged::both ? a_tile[r * line() + p] : o.A[(first_row + r) * o.n + first + p],
                            x_piece[p], s);
        });
        team.team_barrier();  // every thread is done with it, those without a row as well
      }
    }
    for_each_row([&](int r, float& s) { o.y[first_row + r] = s; });
  }
  KOKKOS_FORCEINLINE_FUNCTION int words() const { return depth() + (What == staged::both ? rows() * line() : 0); }
};

template <class Space, staged What, int Rows>
void launch(const operands& o, int run_time = 0) {
  const rows_team<Space, What, Rows> kernel{o, run_time, run_time};
  const int rows = kernel.rows();
  const index_t league = (o.m + rows - 1) / rows;
  Kokkos::parallel_for(experiment_name, teams<Space>(static_cast<int>(league), rows, kernel.bytes() + 16), kernel);
}

enum class order { chain, canon };

/// Every row, bit for bit, in scalar loops on the host.
std::vector<float> expected(index_t m, index_t n, order how) {
  std::vector<float> y(static_cast<std::size_t>(m));
  std::vector<float> x(static_cast<std::size_t>(n));
  for (index_t p = 0; p < n; ++p) x[static_cast<std::size_t>(p)] = perf::input<float>(2, p);
  for (index_t i = 0; i < m; ++i) {
    const auto a = [&](index_t p) { return perf::input<float>(1, i * n + p); };
    const auto b = [&](index_t p) { return x[static_cast<std::size_t>(p)]; };
    float& sum = y[static_cast<std::size_t>(i)];
    if (how == order::canon) {
      sum = perf::canonical_dot<float>(n, a, b);
    } else {
      for (index_t p = 0; p < n; ++p) sum = std::fma(a(p), b(p), sum);
    }
  }
  return y;
}

void require_equal(const case_result& c, const std::vector<float>& found, const std::vector<float>& want,
                   const operands& o) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (Kokkos::bit_cast<std::uint32_t>(found[i]) != Kokkos::bit_cast<std::uint32_t>(want[i]))
      throw wrong_output(c, "row " + std::to_string(i) + " of " + std::to_string(o.m) + " x " + std::to_string(o.n));
  for (std::size_t i = want.size(); i < found.size(); ++i)
    if (Kokkos::bit_cast<std::uint32_t>(found[i]) != Kokkos::bit_cast<std::uint32_t>(perf::poison<float>()))
      throw wrong_output(c, "something was stored behind the last of " + std::to_string(o.m) + " rows");
}

/// Partial tiles, each with the guard that it needs.
struct partial {
  index_t m, n;
  const char* guard;
};
constexpr partial partials[] = {{256, 256, "none: full tiles"},
                                {250, 256, "rows end within the team: row < m at the store of y"},
                                {256, 250, "terms end within the piece: p < n at the load of x, and the chain is cut"},
                                {600, 77, "n < m: the load of x guarded by m would read past x"},
                                {77, 600, "m < n: the load of x guarded by m would leave terms out"},
                                {1, 1, "both, at their smallest"}};

template <class Space>
void run_on(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  // Rows enough that every block size gives each multiprocessor of a large GPU its team.
  const index_t m = small(how) ? 1000 : on_host ? 16384 : 132 * 1024, n = small(how) ? 1500 : 1024;
  const array<Space> A = random_floats<Space>("A", 1, m * n), x = random_floats<Space>("x", 2, n);
  const array<Space> y = poisoned<Space>("y", m + 1);
  rungs all(how, backend_of<Space>, result);
  const operands timed{m, n, A.data(), x.data(), y.data()};
  const std::vector<float> chain = expected(m, n, order::chain), canon = expected(m, n, order::canon);

  const auto add = [&](const char* name, const char* variant, const std::function<void(const operands&)>& run,
                       order sums) {
    case_result c = case_of<Space>(experiment_name, name, variant);
    c.label.clear();
    for (const partial& p : partials) {
      poison<Space>(y);
      const array<Space> a = random_floats<Space>("A", 1, p.m * p.n), b = random_floats<Space>("x", 2, p.n);
      const operands o{p.m, p.n, a.data(), b.data(), y.data()};
      run(o);
      Space().fence();
      require_equal(c, values_of(y), expected(p.m, p.n, sums), o);
    }
    poison<Space>(y);
    c.given["bytes"] = 4.0 * static_cast<double>(m * n + m + n);
    all.add(
        c, [run, timed] { run(timed); },
        [&] {
          require_equal(c, values_of(y), sums == order::canon ? canon : chain, timed);
          return "bits of every element, " + std::to_string(m) + " x " + std::to_string(n) +
                 " and six shapes with partial tiles";
        });
  };
  add(
      "nothing staged", "portable", [](const operands& o) { launch<Space, staged::nothing, 256>(o); }, order::chain);
  add(
      "x staged, static 256", "portable", [](const operands& o) { launch<Space, staged::vector, 256>(o); },
      order::chain);
  for (const int rows : {64, 100, 256, 1024})
    if (!small(how) || rows == 100)
      add(("x staged, run-time " + std::to_string(rows)).c_str(), "portable",
          [rows](const operands& o) { launch<Space, staged::vector, 0>(o, rows); }, order::chain);
  add(
      "A and x staged", "portable", [](const operands& o) { launch<Space, staged::both, 256>(o); }, order::chain);
  add(
      "production", "portable",
      [](const operands& o) {
        using memory = typename Space::memory_space;
        using unmanaged = Kokkos::MemoryUnmanaged;
        const auto rows = static_cast<std::size_t>(o.m), columns = static_cast<std::size_t>(o.n);
        abax::gemv(Space(), "N", 1.0F,
                   Kokkos::View<const float**, Kokkos::LayoutRight, memory, unmanaged>(o.A, rows, columns),
                   Kokkos::View<const float*, memory, unmanaged>(o.x, columns), 0.0F,
                   Kokkos::View<float*, memory, unmanaged>(o.y, rows));
      },
      order::canon);
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (!on_host) {
    const cudaStream_t stream = Space().cuda_stream();
    const auto staging = [stream](handwritten::lab::staged what) {
      return [what, stream](const operands& o) {
        handwritten::lab::matrix_vector(what, o.m, o.n, o.A, o.n, o.x, o.y, stream);
      };
    };
    add("nothing staged", "handwritten", staging(handwritten::lab::staged::nothing), order::chain);
    add(
        "x staged, static 256", "handwritten",
        [stream](const operands& o) { handwritten::matrix_vector_static(o.m, o.n, o.A, o.n, o.x, o.y, stream); },
        order::chain);
    for (const int rows : {64, 100, 256, 1024})
      if (!small(how) || rows == 100)
        add(("x staged, run-time " + std::to_string(rows)).c_str(), "handwritten",
            [stream, rows](const operands& o) {
              handwritten::matrix_vector_dynamic(o.m, o.n, o.A, o.n, o.x, o.y, rows, stream);
            },
            order::chain);
    add("x staged, static 32", "handwritten", staging(handwritten::lab::staged::vector), order::chain);
    add("A and x staged", "handwritten", staging(handwritten::lab::staged::both), order::chain);
  }
#endif
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  std::vector<std::vector<std::string>> guards;
  for (const partial& p : partials) guards.push_back({std::to_string(p.m) + " x " + std::to_string(p.n), p.guard});
  if (on_host || !how.wants(backend::host))
    result.figures.push_back(table({"Partial tiles and their guards",
                                    "Each of these shapes is computed by every kernel of this experiment, with a word "
                                    "behind y that must stay as it was. Rows and terms are guarded by different "
                                    "extents; a square matrix would hide it if one guard stood for the other.",
                                    "", "", from_output},
                                   {"A", "guard"}, guards));
  result.figures.push_back(
      bars({"y <- A x, A " + std::to_string(m) + " x " + std::to_string(n) + " floats on " +
                perf::backend_name(backend_of<Space>),
            on_host ? "On a CPU a row is read along its lines by one thread, and the cache holds x: there is nothing "
                      "that staging could add, and copying A into scratch costs what it takes. The sums are chains of "
                      "fused multiply-adds, which bind the simple kernels, not the memory."
                    : "A thread per row reads A a whole row apart from its neighbour: 32 lines for each access of a "
                      "warp. Staging x saves next to nothing, because x was in a cache anyway. Staging A pays although "
                      "each of its elements is used once: scratch turns the tile, so that memory is read along its "
                      "lines. Whether the compiler knows the block size makes little difference, and so does the size "
                      "itself, as long as there are blocks for every multiprocessor."},
           rate_bars(cases, "bytes"), "GB/s of A, x and y"));
}

#if defined(KOKKOS_ENABLE_CUDA)
/// The result where the host wants it: copied there, or stored by the kernel into page-locked memory of the host.
void run_zero_copy(const settings& how, experiment_result& result) {
  using Space = Kokkos::Cuda;
  const index_t m = small(how) ? 1000 : 8192, n = 256;  // short rows, so that y counts
  const array<Space> A = random_floats<Space>("A", 1, m * n), x = random_floats<Space>("x", 2, n);
  const array<Space> y = poisoned<Space>("y", m);
  Kokkos::View<float*, Kokkos::SharedHostPinnedSpace> pinned("y", static_cast<std::size_t>(m));
  handwritten::mapped_array<float> mapped(m);
  const std::vector<float> want = expected(m, n, order::chain);
  const cudaStream_t stream = Space().cuda_stream();
  rungs all(how, backend::device, result);
  const auto add = [&](const char* name, const char* variant, std::function<void()> run, float* host) {
    case_result c = case_of<Space>(experiment_name, name, variant);
    c.label.clear();  // more than a kernel
    c.given["bytes"] = 4.0 * static_cast<double>(m * n + m + n);
    for (index_t i = 0; i < m; ++i) host[i] = perf::poison<float>();
    const auto check_first = [&] {
      require_equal(c, std::vector<float>(host, host + m), want, {m, n, nullptr, nullptr, nullptr});
      return "bits of every element, read by the host";
    };
    all.add(c, std::move(run), check_first, timed_by::host);
  };
  const operands on_device{m, n, A.data(), x.data(), y.data()}, in_place{m, n, A.data(), x.data(), pinned.data()};
  add(
      "y copied to the host", "portable",
      [=] {
        launch<Space, staged::nothing, 256>(on_device);
        Kokkos::deep_copy(Space(), pinned, y);
        Space().fence();
      },
      pinned.data());
  add(
      "y in the host's memory", "portable",
      [=] {
        launch<Space, staged::nothing, 256>(in_place);
        Space().fence();
      },
      pinned.data());
  add(
      "y copied to the host", "handwritten",
      [=] {
        handwritten::matrix_vector_static(m, n, A.data(), n, x.data(), y.data(), stream);
        handwritten::check(cudaMemcpyAsync(pinned.data(), y.data(), sizeof(float) * static_cast<std::size_t>(m),
                                           cudaMemcpyDeviceToHost, stream),
                           "cudaMemcpyAsync");
        handwritten::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      },
      pinned.data());
  add(
      "y in the host's memory", "handwritten",
      [&] {
        handwritten::matrix_vector_mapped(m, n, A.data(), n, x.data(), mapped, stream);
        handwritten::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      },
      mapped.host());
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  std::vector<bar> rows;
  for (const case_result& c : cases)
    rows.push_back({c.name + " (" + c.variant + ")", c.measured.at("seconds_median") * 1e6,
                    c.measured.at("seconds_low") * 1e6, c.measured.at("seconds_high") * 1e6});
  result.figures.push_back(
      bars({"Until the host can read y, A " + std::to_string(m) + " x " + std::to_string(n),
            "A small result need not be copied: page-locked memory of the host has an address on the device as well, "
            "and the kernel's stores cross the bus as they are made. What that saves is a call and its latency. It "
            "pays for what is written once, in whole lines, and not read again.",
            "", "", from_clock},
           rows, "microseconds, launch and wait included"));
}
#endif

}  // namespace

void run_vector(const settings& how, experiment_result& result) {
  result.text = {
      "A matrix-vector product uses each element of A once. Sharing is not what scratch is for here: x is shared, and "
      "any cache does that. What scratch can do is turn the tile: fetched along the rows, as memory wants it, and used "
      "down the columns, as a thread per row wants it.",
      "A block size that the compiler knows lets it unroll the piece's loop and check the scratch; one that is chosen "
      "at the launch fits any device. The classic dynamic kernel declares scratch as extern and is given its bytes at "
      "the launch; with Kokkos both are a team policy's scratch size.",
      "Two slips of classic texts are done right here: the piece of x is guarded by the length of x (n), not by the "
      "number of rows (m), and no thread returns before a barrier because it has no row."};
  if (!perf::has_device()) result.left_out.push_back("The hand-written twins: this build has no GPU backend.");
  result.left_out.push_back("On the host: an output in mapped memory. Every output is where the host reads it.");
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
#if defined(KOKKOS_ENABLE_CUDA)
  if (how.wants(backend::device)) run_zero_copy(how, result);
#endif
}

}  // namespace abax::lab
