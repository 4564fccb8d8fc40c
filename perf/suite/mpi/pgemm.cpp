// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgemm.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <type_traits>

namespace {

template <class T>
using gemm_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                       const T*, const int*, const T*, T*, const int*);

/// The node kernel that the engine's calls go to at present, and what has been asked of it.
template <class T>
gemm_type<T>* node_gemm = nullptr;
long long node_calls = 0;
double node_flops = 0;

template <class T>
void count_and_call(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha,
                    const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  ++node_calls;
  node_flops += 2.0 * *m * *n * *k;
  node_gemm<T>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace

// What the loader finds for ScaLAPACK, before any library's: this program exports them.
extern "C" {
void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc) {
  count_and_call(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc) {
  count_and_call(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}

namespace abax::perf {
namespace {

constexpr int zero = 0, one = 1, block = pgemm::block;

template <class F>
F* symbol(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

void* load_first(const std::vector<std::string>& files, int flags) {
  for (const std::string& file : files)
    if (void* const library = file.empty() ? nullptr : dlopen(file.c_str(), flags)) return library;
  return nullptr;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string file_of(void* function) {
  Dl_info found;
  return function != nullptr && dladdr(function, &found) != 0 ? found.dli_fname : "nowhere";
}

/// ScaLAPACK on this program's MPI.
struct engine {
  void* library = nullptr;
  void (*get)(int, int, int*) = nullptr;
  void (*grid_init)(int*, const char*, int, int) = nullptr;
  void (*grid_info)(int, int*, int*, int*, int*) = nullptr;
  void (*grid_exit)(int) = nullptr;
  int (*numroc)(const int*, const int*, const int*, const int*, const int*) = nullptr;
  void (*descinit)(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
                   int*) = nullptr;

  bool load() {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    const std::string kind = std::strstr(mpi, "Open MPI") != nullptr ? "openmpi" : "mpich";
    std::vector<std::string> files{variable("ABAX_SCALAPACK")};
    for (const std::string& stem : {"libscalapack-" + kind + ".so", std::string("libscalapack.so")})
      for (const char* version : {"", ".2.2", ".2.1"}) files.push_back(stem + version);
    library = load_first(files, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return false;
    get = symbol<void(int, int, int*)>(library, "Cblacs_get");
    grid_init = symbol<void(int*, const char*, int, int)>(library, "Cblacs_gridinit");
    grid_info = symbol<void(int, int*, int*, int*, int*)>(library, "Cblacs_gridinfo");
    grid_exit = symbol<void(int)>(library, "Cblacs_gridexit");
    numroc = symbol<int(const int*, const int*, const int*, const int*, const int*)>(library, "numroc_");
    descinit = symbol<void(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
                           const int*, int*)>(library, "descinit_");
    return get != nullptr && grid_init != nullptr && grid_info != nullptr && grid_exit != nullptr &&
           numroc != nullptr && descinit != nullptr;
  }
};

template <class T>
using product_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                          const int*, const int*, const T*, const int*, const int*, const int*, const T*, T*,
                          const int*, const int*, const int*);

/// The numbers a matrix is made of: whole ones, of which every sum is exact in whatever order, or any.
enum class values { whole, any };

std::uint64_t mixed(int seed, std::int64_t i, std::int64_t j) {
  std::uint64_t z =
      static_cast<std::uint64_t>(i * 1000003 + j) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(seed);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
int whole_value(int seed, std::int64_t i, std::int64_t j) { return static_cast<int>(mixed(seed, i, j) >> 60) - 8; }

struct grid {
  int context = -1, rows = 1, cols = 1, row = 0, col = 0;
};

/// This rank's blocks of a matrix.
template <class T>
struct distributed {
  int desc[9], rows, cols, ld, seed;
  grid g;
  std::vector<T> data;

  distributed(const engine& e, const grid& g, int m, int n, int seed)
      : rows(e.numroc(&m, &block, &g.row, &zero, &g.rows)),
        cols(e.numroc(&n, &block, &g.col, &zero, &g.cols)),
        ld(std::max(rows, 1)),
        seed(seed),
        g(g),
        data(static_cast<std::size_t>(ld) * std::max(cols, 1)) {
    int info = 0;
    e.descinit(desc, &m, &n, &block, &block, &zero, &zero, &g.context, &ld, &info);
  }
  std::int64_t row(int i) const { return std::int64_t(i / block * g.rows + g.row) * block + i % block; }
  std::int64_t col(int j) const { return std::int64_t(j / block * g.cols + g.col) * block + j % block; }
  void fill(values which) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        data[i + std::size_t(j) * ld] =
            which == values::whole ? static_cast<T>(whole_value(seed, row(i), col(j)))
                                   : static_cast<T>(std::ldexp(double(mixed(seed, row(i), col(j)) >> 11), -52) - 1);
  }
};

template <class T>
struct variant {
  std::string name, version, bits;
  gemm_type<T>* gemm;
  long long calls = 0;
};

/// Abax', and one other library's.
template <class T>
std::vector<variant<T>> node_kernels(const std::string& abax_perf) {
  const char* const name = sizeof(T) == 4 ? "sgemm_" : "dgemm_";
  const std::string folder = abax_perf.substr(0, abax_perf.rfind('/') + 1);
  std::vector<std::string> files{variable("ABAX_BLAS_LIBRARY")};
  for (const char* there : {"../src/blas/", "../lib/", "../lib64/", "../lib/x86_64-linux-gnu/", ""})
    files.push_back((there[0] == 0 ? "" : folder + there) + "libabax_blas.so");
  std::vector<variant<T>> all;
  constexpr int own = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
  if (void* const library = load_first(files, own))
    if (auto* const gemm = symbol<gemm_type<T>>(library, name);
        gemm != nullptr && dlsym(library, "abax_dgemm") != nullptr)
      all.push_back({"abax", file_of(reinterpret_cast<void*>(gemm)), "", gemm});
  const std::string debian = "/usr/lib/x86_64-linux-gnu/";
  const std::pair<const char*, std::vector<std::string>> others[] = {
      {"OpenBLAS", {debian + "openblas-openmp/libopenblas.so.0", "libopenblas.so.0"}},
      {"Netlib", {debian + "blas/libblas.so.3"}}};
  for (const auto& [title, paths] : others)
    if (void* const library = all.size() == 1 ? load_first(paths, own) : nullptr)
      if (auto* const gemm = symbol<gemm_type<T>>(library, name))
        all.push_back({title, file_of(reinterpret_cast<void*>(gemm)), "", gemm});
  return all;
}

/// A share of one rank's elements of C <- A B, for whole numbers.
template <class T>
long long wrong_elements(const distributed<T>& c, int seed_a, int seed_b, int k) {
  constexpr int most = 64;
  long long wrong = 0;
  std::mt19937 random(5);
  for (int s = 0; s < most && c.rows > 0 && c.cols > 0; ++s) {
    const int i = s == 0 ? 0 : s == 1 ? c.rows - 1 : static_cast<int>(random() % static_cast<unsigned>(c.rows));
    const int j = s == 0 ? 0 : s == 1 ? c.cols - 1 : static_cast<int>(random() % static_cast<unsigned>(c.cols));
    long long sum = 0;
    for (int p = 0; p < k; ++p) sum += whole_value(seed_a, c.row(i), p) * whole_value(seed_b, p, c.col(j));
    const T expected = static_cast<T>(sum);
    wrong += std::memcmp(&expected, &c.data[i + std::size_t(j) * c.ld], sizeof(T)) != 0;
  }
  return wrong;
}

template <class X>
X over_ranks(X value, MPI_Op op) {
  X all{};
  MPI_Allreduce(&value, &all, 1, std::is_same_v<X, double> ? MPI_DOUBLE : MPI_LONG_LONG, op, MPI_COMM_WORLD);
  return all;
}

template <class T>
void measure(const std::string& abax_perf, int m, int n, int k, double seconds, double limit,
             const pgemm::teller& tell) {
  const double start = MPI_Wtime();
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto missing_anywhere = [](bool here) { return over_ranks<long long>(here ? 1 : 0, MPI_SUM); };

  engine e;
  auto* product = e.load() ? symbol<product_type<T>>(e.library, sizeof(T) == 4 ? "psgemm_" : "pdgemm_") : nullptr;
  if (const long long without = missing_anywhere(product == nullptr); without > 0)
    return tell("missing no ScaLAPACK for this MPI on " + std::to_string(without) + " of " + std::to_string(ranks) +
                " ranks (Debian: libscalapack-openmpi-dev, libscalapack-mpich-dev; another: ABAX_SCALAPACK=FILE)");
  std::vector<variant<T>> variants = node_kernels<T>(abax_perf);
  if (const long long without = missing_anywhere(variants.empty() || variants[0].name != "abax"); without > 0)
    return tell("missing no libabax_blas.so on " + std::to_string(without) + " of " + std::to_string(ranks) +
                " ranks (it is built with -DABAX_BLAS=ON; another place: ABAX_BLAS_LIBRARY=FILE)");
  if (over_ranks(static_cast<long long>(variants.size()), MPI_MIN) < static_cast<long long>(variants.size()))
    variants.resize(1);
  // That what this program counts is what the engine calls, and not another dgemm_ that was loaded first.
  const auto* const bound = dlsym(RTLD_DEFAULT, sizeof(T) == 4 ? "sgemm_" : "dgemm_");
  const void* const counted =
      sizeof(T) == 4 ? reinterpret_cast<const void*>(&sgemm_) : reinterpret_cast<const void*>(&dgemm_);
  if (missing_anywhere(bound != counted) > 0)
    return tell("missing ScaLAPACK's products do not come through this program: another BLAS was preloaded");

  grid g;
  g.rows = pgemm::grid_rows(ranks);
  g.cols = ranks / g.rows;
  e.get(0, 0, &g.context);
  e.grid_init(&g.context, "Row", g.rows, g.cols);
  e.grid_info(g.context, &g.rows, &g.cols, &g.row, &g.col);
  distributed<T> a(e, g, m, k, 1), b(e, g, k, n, 2), c(e, g, m, n, 3);
  const T alpha = 1, beta = 0;
  const auto call = [&](const variant<T>& v) {
    node_gemm<T> = v.gemm;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    product("N", "N", &m, &n, &k, &alpha, a.data.data(), &one, &one, a.desc, b.data.data(), &one, &one, b.desc, &beta,
            c.data.data(), &one, &one, c.desc);
    return over_ranks(MPI_Wtime() - begin, MPI_MAX);
  };

  a.fill(values::whole);
  b.fill(values::whole);
  for (variant<T>& v : variants) {
    std::fill(c.data.begin(), c.data.end(), std::numeric_limits<T>::quiet_NaN());
    node_calls = 0;
    node_flops = 0;
    call(v);
    const long long wrong = over_ranks(wrong_elements(c, a.seed, b.seed, k), MPI_SUM);
    const double through = over_ranks(node_flops, MPI_SUM), all = 2.0 * m * n * k;
    v.calls = over_ranks(node_calls, MPI_SUM);
    v.bits = wrong > 0        ? std::to_string(wrong) + " sampled elements wrong"
             : through != all ? "only " + std::to_string(through / all) + " of the operations went through it"
                              : "same";
  }
  {
    tell("engine " + file_of(reinterpret_cast<void*>(product)) + ", a grid of " + std::to_string(g.rows) + " x " +
         std::to_string(g.cols) + " ranks, blocks of " + std::to_string(block));
    for (const variant<T>& v : variants)
      tell("variant " + v.name + "|" + v.version + "|" + v.bits + "|" + std::to_string(v.calls));
  }
  a.fill(values::any);
  b.fill(values::any);
  std::mt19937 random(1);  // the same on all ranks
  constexpr int fewest = 5, most = 200;
  double spent = 0;
  for (int round = 0; round < most && (round < fewest || spent < seconds * static_cast<double>(variants.size()));
       ++round) {
    // All ranks agree on the end.
    if (limit > 0 && round > 0 && over_ranks(MPI_Wtime() - start, MPI_MAX) * (round + 1) / round > limit) break;
    std::vector<std::size_t> order(variants.size());
    for (std::size_t v = 0; v < order.size(); ++v) order[v] = v;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t v : order) {
      const double taken = call(variants[v]);
      spent += taken;
      char text[64];
      std::snprintf(text, sizeof text, "sample %zu %.5g", v, taken);
      tell(text);
    }
  }
  e.grid_exit(g.context);
}

}  // namespace

void pgemm::answer(const std::string& order, const teller& tell) const {
  std::istringstream words(order);
  std::string type;
  int m = 0, n = 0, k = 0, rank = 0;
  double seconds = 0, limit = 0;
  words >> type >> m >> n >> k >> seconds >> limit;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const teller nobody = [](const std::string&) {};  // where something is missing, all know it
  const teller& told = rank == 0 ? tell : nobody;
  if (!words)
    told("missing bad sizes");
  else if (type == "f32")
    measure<float>(abax_perf_, m, n, k, seconds, limit, told);
  else
    measure<double>(abax_perf_, m, n, k, seconds, limit, told);
}

}  // namespace abax::perf
