// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "vector": a matrix-vector product with blocks of static and of run-time size, partial tiles, an output
// that the host reads in place, and the question what is worth staging.
#include <abax/gemv.hpp>

#include "arrays.hpp"
#include "figures.hpp"
#include "handwritten/handwritten.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::lab {
namespace {

using handwritten::lab::staged;

/// y <- A x, rows of A contiguous.
struct operands {
  index_t m, n;
  const float *A, *x;
  float* y;
};

/// A thread per row; a team takes `rows` of them and `depth` terms at a time, numbers known to the compiler (Rows > 0)
/// or only at the launch. It stages x, x and A, or nothing. A team of one thread has up to `Mine` rows to itself.
template <staged What, int Rows, int Mine>
struct rows_team {
  operands o;
  int run_time_rows, run_time_depth;

  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return Rows > 0 ? Rows : run_time_rows; }
  KOKKOS_FORCEINLINE_FUNCTION int depth() const { return What == staged::both ? 32 : Rows > 0 ? Rows : run_time_depth; }
  KOKKOS_FORCEINLINE_FUNCTION int line() const { return depth() + 1; }  // of the tile: padded against conflicts
  KOKKOS_FORCEINLINE_FUNCTION std::size_t bytes() const {
    const int words = depth() + (What == staged::both ? rows() * line() : 0);
    return What == staged::nothing ? 0 : sizeof(float) * static_cast<std::size_t>(words);
  }

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const index_t first_row = index_t(team.league_rank()) * rows();
    float sum[Mine] = {};
    const auto for_each_row = [&](const auto& each) {
      int i = 0;
      for (int r = team.team_rank(); r < rows(); r += team.team_size(), ++i)
        if (first_row + r < o.m) each(r, sum[Mine == 1 ? 0 : i]);  // guard: the rows end within the team
    };
    if constexpr (What == staged::nothing) {
      for_each_row([&](int r, float& s) {
        for (index_t p = 0; p < o.n; ++p) s = Kokkos::fma(o.A[(first_row + r) * o.n + p], o.x[p], s);
      });
    } else {
      float* const x_piece = scratch_of<float>(team, bytes());
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
            for (int i = 0; i < in_flight; ++i) {  // all loads are issued before the first store
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
};

template <class Space, staged What, int Rows = 256>
void launch(const operands& o, int run_time = 0) {
  const rows_team<What, Rows, backend_of<Space> == backend::host ? 1024 : 1> kernel{o, run_time, run_time};
  const int rows = kernel.rows();
  Kokkos::parallel_for("abax-lab::vector", teams<Space>((o.m + rows - 1) / rows, rows, kernel.bytes()), kernel);
}

template <class Space>
void production(const operands& o) {
  using memory = typename Space::memory_space;
  const auto rows = static_cast<std::size_t>(o.m), columns = static_cast<std::size_t>(o.n);
  abax::gemv(Space(), "N", 1.0F, matrix<Space, const float>(o.A, rows, columns),
             Kokkos::View<const float*, memory, Kokkos::MemoryUnmanaged>(o.x, columns), 0.0F,
             Kokkos::View<float*, memory, Kokkos::MemoryUnmanaged>(o.y, rows));
}

/// Every row in scalar loops on the host.
std::vector<float> expected(index_t m, index_t n, order how) {
  std::vector<float> x, y;
  for (index_t p = 0; p < n; ++p) x.push_back(perf::input<float>(2, p));
  for (index_t i = 0; i < m; ++i)
    y.push_back(dot(
        how, n, [&](index_t p) { return perf::input<float>(1, i * n + p); },
        [&](index_t p) { return x[static_cast<std::size_t>(p)]; }));
  return y;
}

/// The bits of each row, and nothing stored behind the last.
void require_rows(const float* found, std::size_t size, const std::vector<float>& want) {
  for (std::size_t i = 0; i < size; ++i)
    if (bits_of(found[i]) != bits_of(i < want.size() ? want[i] : perf::poison<float>()))
      throw wrong_output("element " + std::to_string(i) + " of " + std::to_string(want.size()) + " rows");
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
  const index_t m = how.small() ? 1000 : on_host ? 16384 : 132 * 1024, n = how.small() ? 1500 : 1024;
  const array<Space> A = inputs<Space>(1, m * n), x = inputs<Space>(2, n), y = uninitialised<array<Space>>(m + 1);
  const operands timed{m, n, A.data(), x.data(), y.data()};
  const std::vector<float> chain = expected(m, n, order::chain), canon = expected(m, n, order::canon);
  const std::string shape = std::to_string(m) + " x " + std::to_string(n);
  bench all(how, backend_of<Space>, result);

  const auto add = [&](const std::string& name, const char* variant, const std::function<void(const operands&)>& run,
                       order sums = order::chain) {
    const auto require = [&](const std::vector<float>& want) {
      const std::vector<float> found = values_of(y);
      require_rows(found.data(), found.size(), want);
    };
    const auto right = [&] {
      require(sums == order::canon ? canon : chain);
      for (const partial& p : partials) {
        poison(y);
        const array<Space> a = inputs<Space>(1, p.m * p.n), b = inputs<Space>(2, p.n);
        run({p.m, p.n, a.data(), b.data(), y.data()});
        Space().fence();
        require(expected(p.m, p.n, sums));
      }
      return "bits of every element, " + shape + " and six shapes with partial tiles";
    };
    poison(y);
    all.add(name, variant, [=] { run(timed); }, right, {{"bytes", 4.0 * static_cast<double>(m * n + m + n)}});
  };
  /// A kernel and its twin.
  const auto add_both = [&](const std::string& name, const auto& portable, const auto& twin) {
    add(name, "portable", portable);
    if constexpr (!on_host)
      add(name, "handwritten", [=](const operands& o) { twin(o.m, o.n, o.A, o.n, o.x, o.y, stream<Space>()); });
  };
  add_both(
      "nothing staged", [](const operands& o) { launch<Space, staged::nothing>(o); },
      [](auto... o) { handwritten::lab::matrix_vector(staged::nothing, o...); });
  add_both(
      "x staged, static 256", [](const operands& o) { launch<Space, staged::vector>(o); },
      [](auto... o) { handwritten::matrix_vector_static(o...); });
  for (const int rows : {64, 100, 256, 1024})
    if (!how.small() || rows == 100)
      add_both(
          "x staged, run-time " + std::to_string(rows),
          [rows](const operands& o) { launch<Space, staged::vector, 0>(o, rows); },
          [rows](auto M, auto N, auto a, auto lda, auto b, auto c, auto queue) {
            handwritten::matrix_vector_dynamic(M, N, a, lda, b, c, rows, queue);
          });
  add_both(
      "A and x staged", [](const operands& o) { launch<Space, staged::both>(o); },
      [](auto... o) { handwritten::lab::matrix_vector(staged::both, o...); });
  add("production", "portable", production<Space>, order::canon);
  if constexpr (!on_host)
    add("x staged, static 32", "handwritten", [](const operands& o) {
      handwritten::lab::matrix_vector(staged::vector, o.m, o.n, o.A, o.n, o.x, o.y, stream<Space>());
    });
  const std::vector<case_result> cases = all.finish();
  table_rows guards;
  for (const partial& p : partials) guards.push_back({std::to_string(p.m) + " x " + std::to_string(p.n), p.guard});
  if (!how.once && (on_host || !how.wants(backend::host)))
    result.draw(
        table({"Partial tiles and their guards",
               "Every kernel of this experiment computes each of these shapes, with a word behind y that must "
               "stay as it was. Rows and terms are guarded by different extents; a square matrix would not show "
               "it if one guard were used for the other.",
               "", "", from_output},
              {"A", "guard"}, guards));
  result.draw(bars({"y <- A x, A " + shape + " floats on " + perf::backend_name(backend_of<Space>),
                    on_host ? "On a CPU one thread reads a row along its lines, and the cache holds x: staging cannot "
                              "add to that, and copying A into scratch costs its time. The chains of fused "
                              "multiply-adds limit the simple kernels, not the memory."
                            : "A thread per row reads A a whole row apart from its neighbour: 32 lines for each access "
                              "of a warp. Staging x saves next to nothing, because x was in a cache anyway. Staging A "
                              "pays although each element is used once, because memory is then read along its lines. "
                              "Block sizes, known to the compiler or not, make little difference."},
                   bars_of(cases, rate_of("bytes")), "GB/s of A, x and y"));
}

/// The result where the host needs it: copied there, or stored by the kernel into page-locked memory of the host.
template <class Space>
void run_zero_copy(const settings& how, experiment_result& result) {
  const index_t m = how.small() ? 1000 : 8192, n = 256;  // short rows, so that y counts
  const array<Space> A = inputs<Space>(1, m * n), x = inputs<Space>(2, n), y = poisoned<Space>(m);
  const auto pinned = uninitialised<pinned_array>(m);
  handwritten::mapped_array<float> mapped(m);
  const std::vector<float> want = expected(m, n, order::chain);
  bench all(how, backend::device, result);
  const auto add = [&](const char* name, const char* variant, float* on_host, const std::function<void()>& run) {
    const auto until_here = [=] {
      run();
      Space().fence();
    };
    const auto right = [&] {
      require_rows(on_host, want.size(), want);
      return "bits of every element, read by the host";
    };
    fill<host>(on_host, m, poison_of<float>{});
    const double bytes = 4.0 * static_cast<double>(m * n + m + n);
    all.add(name, variant, until_here, right, {{"bytes", bytes}}, timed_by::host);
  };
  add("y copied to the host", "portable", pinned.data(), [=] {
    launch<Space, staged::nothing>({m, n, A.data(), x.data(), y.data()});
    Kokkos::deep_copy(Space(), pinned, y);
  });
  add("y in the host's memory", "portable", pinned.data(), [=] {
    launch<Space, staged::nothing>({m, n, A.data(), x.data(), pinned.data()});
  });
  add("y copied to the host", "handwritten", pinned.data(), [=] {
    handwritten::matrix_vector_static(m, n, A.data(), n, x.data(), y.data(), stream<Space>());
    handwritten::lab::copy_bytes(pinned.data(), y.data(), sizeof(float) * y.size(), stream<Space>());
  });
  add("y in the host's memory", "handwritten", mapped.host(),
      [&] { handwritten::matrix_vector_mapped(m, n, A.data(), n, x.data(), mapped, stream<Space>()); });
  result.draw(bars({"Until the host can read y, A " + std::to_string(m) + " x " + std::to_string(n),
                    "A small result need not be copied: page-locked memory of the host has an address on the device as "
                    "well, and the kernel's stores cross the bus as they are made. That saves a call and its latency, "
                    "for what is written once, in whole lines, and not read again."},
                   bars_of(all.finish(), time_in(1e6)), "microseconds, launch and wait included"));
}

}  // namespace

void run_vector(const settings& how, experiment_result& result) {
  result.text = {
      "A matrix-vector product uses each element of A once, and x, which is shared, is in a cache. What scratch can do "
      "is change the order of accesses: A is fetched along its rows, as memory is fast, and used down its columns, as "
      "a "
      "thread per row needs it.",
      "A block size that the compiler knows lets it unroll a loop; one that is chosen at the launch fits any device. "
      "The classic dynamic kernel declares scratch as extern and is given its bytes at the launch; with Kokkos both "
      "are "
      "a team policy's scratch size.",
      "Two mistakes of classic texts are avoided: the piece of x is guarded by the length of x (n), not by the number "
      "of rows (m), and no thread returns before a barrier because it has no row."};
  result.left_out.push_back("On the host: an output in mapped memory. Every output is where the host reads it.");
  for_each_space(how, [&]<class Space>(Space) { run_on<Space>(how, result); });
  for_each_space(how, [&]<class Space>(Space) {
    if constexpr (backend_of<Space> == backend::device) run_zero_copy<Space>(how, result);
  });
}

}  // namespace abax::lab
