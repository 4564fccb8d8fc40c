// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgemm.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "../loaded.hpp"
#include "../machine.hpp"
#include "../table.hpp"
#include "../timing.hpp"
#include "ranks.hpp"

namespace {

template <class T>
using gemm_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                       const T*, const int*, const T*, T*, const int*);

template <class T>
constexpr const char* gemm_name = sizeof(T) == 4 ? "sgemm_" : "dgemm_";

/// The node kernel that the engine's calls go to at present, and what has been asked of it.
template <class T>
gemm_type<T>* node_gemm = nullptr;
long long node_calls = 0;
double node_flops = 0;

/// Where no engine runs, this program's own libraries go on to the BLAS that they were linked with.
template <class T>
void count_and_call(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha,
                    const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {
  static auto* const next = abax::perf::symbol<gemm_type<T>>(RTLD_NEXT, gemm_name<T>);
  ++node_calls;
  node_flops += 2.0 * *m * *n * *k;
  (node_gemm<T> != nullptr ? node_gemm<T> : next)(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
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

namespace abax::perf::ranks {
namespace {

constexpr int zero = 0, one = 1, block = 64;  // block: rows and columns, dealt out to a grid of ranks

/// As square a grid as there is.
int grid_rows(int ranks) {
  int rows = 1;
  for (int p = 2; p * p <= ranks; ++p)
    if (ranks % p == 0) rows = p;
  return rows;
}

void require_possible(index_t m, index_t n, index_t k, double element) {
  const std::string text = "pgemm " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  if (std::max({m, n, k}) > std::numeric_limits<int>::max())
    throw std::runtime_error(text + ": expected extents below 2^31");
  // What a rank holds at most.
  const int rows = grid_rows(self().size), cols = self().size / rows;
  const auto held = [](index_t extent, int over) {
    return static_cast<double>(std::min(extent, ((extent + block - 1) / block + over - 1) / over * block));
  };
  const auto local = [&](index_t r, index_t c) { return held(r, rows) * held(c, cols); };
  require_free(text + " on " + self().host, element * (local(m, k) + local(k, n) + local(m, n)) * self().neighbours,
               backend::host);
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class F>
std::string file_of(F* function) {
  Dl_info found;
  return dladdr(reinterpret_cast<void*>(function), &found) != 0 ? found.dli_fname : "nowhere";
}

/// ScaLAPACK on this program's MPI.
struct engine {
  void* library;
  void (*get)(int, int, int*);
  void (*grid_init)(int*, const char*, int, int);
  void (*grid_info)(int, int*, int*, int*, int*);
  void (*grid_exit)(int);
  int (*numroc)(const int*, const int*, const int*, const int*, const int*);
  void (*descinit)(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
                   int*);

  engine() {
    const std::string kind = self().mpi.find("Open MPI") != std::string::npos ? "openmpi" : "mpich";
    std::vector<std::string> files{variable("ABAX_SCALAPACK")};
    for (const std::string& stem : {"libscalapack-" + kind + ".so", std::string("libscalapack.so")})
      for (const char* version : {"", ".2.2", ".2.1"}) files.push_back(stem + version);
    library = load_first(files, RTLD_NOW | RTLD_GLOBAL);
    const auto find = [&](auto*& function, const char* name) {
      function = symbol<std::remove_pointer_t<std::decay_t<decltype(function)>>>(library, name);
      if (function == nullptr) library = nullptr;
    };
    find(get, "Cblacs_get");
    find(grid_init, "Cblacs_gridinit");
    find(grid_info, "Cblacs_gridinfo");
    find(grid_exit, "Cblacs_gridexit");
    find(numroc, "numroc_");
    find(descinit, "descinit_");
  }
};

template <class T>
using product_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                          const int*, const int*, const T*, const int*, const int*, const int*, const T*, T*,
                          const int*, const int*, const int*);

std::uint64_t mixed(int seed, std::int64_t i, std::int64_t j) {
  std::uint64_t z =
      static_cast<std::uint64_t>(i * 1000003 + j) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(seed);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
/// Of such numbers every sum is exact, in whatever order.
int whole_value(int seed, std::int64_t i, std::int64_t j) { return static_cast<int>(mixed(seed, i, j) >> 60) - 8; }
double any_value(int seed, std::int64_t i, std::int64_t j) {
  return std::ldexp(static_cast<double>(mixed(seed, i, j) >> 11), -52) - 1;
}

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
  T& at(int i, int j) { return data[i + std::size_t(j) * ld]; }
  template <class Value>
  void fill(const Value& value) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i) at(i, j) = static_cast<T>(value(seed, row(i), col(j)));
  }
};

template <class T>
struct variant {
  std::string name, version;
  gemm_type<T>* gemm;
};

/// Abax', and one other library's.
template <class T>
std::vector<variant<T>> node_kernels() {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::string folder = path.substr(0, path.rfind('/') + 1), debian = "/usr/lib/x86_64-linux-gnu/";
  std::vector<std::string> files{variable("ABAX_BLAS_LIBRARY")};
  for (const char* there : {"../src/blas/", "../lib/", "../lib64/", "../lib/x86_64-linux-gnu/"})
    files.push_back(folder + there + "libabax_blas.so");
  files.emplace_back("libabax_blas.so");
  std::vector<variant<T>> all;
  const auto add = [&](const char* title, const std::vector<std::string>& paths, const char* mark) {
    void* const library = load_first(paths, by_itself);
    auto* const gemm = symbol<gemm_type<T>>(library, gemm_name<T>);
    if (gemm != nullptr && symbol<void()>(library, mark) != nullptr) all.push_back({title, file_of(gemm), gemm});
    return !all.empty() && all.back().name == title;
  };
  if (add("abax", files, "abax_dgemm") &&
      !add("OpenBLAS", {debian + "openblas-openmp/libopenblas.so.0", "libopenblas.so.0"}, gemm_name<T>))
    add("Netlib", {debian + "blas/libblas.so.3"}, gemm_name<T>);
  return all;
}

/// A share of one rank's elements of C <- A B, for whole numbers.
constexpr int compared_by_each = 64;
template <class T>
int wrong_elements(distributed<T>& c, int seed_a, int seed_b, int k) {
  int wrong = 0;
  std::mt19937 random(5);
  for (int s = 0; s < compared_by_each && c.rows > 0 && c.cols > 0; ++s) {
    const int i = s == 0 ? 0 : s == 1 ? c.rows - 1 : static_cast<int>(random() % static_cast<unsigned>(c.rows));
    const int j = s == 0 ? 0 : s == 1 ? c.cols - 1 : static_cast<int>(random() % static_cast<unsigned>(c.cols));
    long long sum = 0;
    for (int p = 0; p < k; ++p) sum += whole_value(seed_a, c.row(i), p) * whole_value(seed_b, p, c.col(j));
    const T expected = static_cast<T>(sum);
    wrong += std::memcmp(&expected, &c.at(i, j), sizeof(T)) != 0;
  }
  return wrong;
}

template <class T>
product_answer measure(const product_order& order, const std::function<bool(double seconds)>& goes_on) {
  const auto& [wide, m, n, k, seconds] = order;
  const int size = self().size;
  const auto missing = [&](bool here, const std::string& what, const std::string& where) {
    const auto without = static_cast<int>(sum(here ? 0 : 1));
    return without == 0 ? ""
                        : what + " on " + std::to_string(without) + " of " + std::to_string(size) + " ranks" + where;
  };
  product_answer answer;
  const engine e;
  auto* const product = symbol<product_type<T>>(e.library, wide ? "pdgemm_" : "psgemm_");
  std::vector<variant<T>> variants = node_kernels<T>();
  // That what this program counts is what the engine calls, and not another dgemm_ that was loaded first.
  void* const counted = wide ? reinterpret_cast<void*>(&dgemm_) : reinterpret_cast<void*>(&sgemm_);
  for (const std::string& why :
       {missing(product != nullptr, "no ScaLAPACK for this MPI",
                " (Debian: libscalapack-openmpi-dev, libscalapack-mpich-dev; another: ABAX_SCALAPACK=FILE)"),
        missing(!variants.empty(), "no libabax_blas.so",
                " (it is built with -DABAX_BLAS=ON; another place: ABAX_BLAS_LIBRARY=FILE)"),
        missing(dlsym(RTLD_DEFAULT, gemm_name<T>) == counted, "another BLAS was preloaded, so nothing is counted,",
                "")})
    if (answer.missing.empty()) answer.missing = why;
  if (!answer.missing.empty()) return answer;
  variants.resize(static_cast<std::size_t>(-largest(-static_cast<double>(variants.size()))));  // that all have

  grid g;
  g.rows = grid_rows(size);
  g.cols = size / g.rows;
  e.get(0, 0, &g.context);
  e.grid_init(&g.context, "Row", g.rows, g.cols);
  e.grid_info(g.context, &g.rows, &g.cols, &g.row, &g.col);
  distributed<T> a(e, g, m, k, 1), b(e, g, k, n, 2), c(e, g, m, n, 3);
  const auto call = [&](const variant<T>& v) {
    constexpr T alpha = 1, beta = 0;
    node_gemm<T> = v.gemm;
    together();
    const stopwatch taken;
    product("N", "N", &m, &n, &k, &alpha, a.data.data(), &one, &one, a.desc, b.data.data(), &one, &one, b.desc, &beta,
            c.data.data(), &one, &one, c.desc);
    const double here = taken.seconds();
    node_gemm<T> = nullptr;
    return largest(here);
  };

  a.fill(whole_value);
  b.fill(whole_value);
  answer.notes.emplace_back("pgemm", file_of(product) + ", a grid of " + std::to_string(g.rows) + " x " +
                                         std::to_string(g.cols) + " ranks, blocks of " + std::to_string(block));
  case_result& r = answer.result;
  r.kernel = "pgemm";
  r.type = wide ? "f64" : "f32";
  r.shape = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  r.backend = "ScaLAPACK";
  r.m = m;
  r.n = n;
  r.k = k;
  r.amount = order.operations();
  r.unit = "FLOP";
  r.roof = "fma";
  r.compared = size * compared_by_each;
  for (const variant<T>& v : variants) {
    std::fill(c.data.begin(), c.data.end(), std::numeric_limits<T>::quiet_NaN());
    node_calls = 0;
    node_flops = 0;
    call(v);
    const auto wrong = static_cast<int>(sum(wrong_elements(c, a.seed, b.seed, k)));
    const double through = sum(node_flops), all = order.operations();
    answer.notes.emplace_back("pgemm, " + v.name, std::to_string(static_cast<long long>(sum(double(node_calls)))) +
                                                      " products on the ranks by " + v.version);
    if (wrong > 0) r.bits = v.name + ": " + std::to_string(wrong) + " sampled elements wrong";
    if (through != all)
      r.bits = v.name + ": only " + std::to_string(through / all) + " of the operations went through it";
    r.variants.emplace_back().name = v.name;
  }
  a.fill(any_value);
  b.fill(any_value);
  std::mt19937 random(1);  // the same on all ranks
  constexpr int fewest = 5, most = 200;
  double spent = 0, longest = 0;
  for (int round = 0; round < most && (round < fewest || spent < seconds * static_cast<double>(variants.size()));
       ++round) {
    if (round > 0 && !goes_on(longest)) break;
    const stopwatch taken;
    std::vector<std::size_t> turns(variants.size());
    std::iota(turns.begin(), turns.end(), 0);
    std::shuffle(turns.begin(), turns.end(), random);
    for (const std::size_t v : turns) {
      r.variants[v].samples.push_back(call(variants[v]));
      spent += r.variants[v].samples.back();  // the same on all ranks
    }
    longest = std::max(longest, taken.seconds());
  }
  e.grid_exit(g.context);
  return answer;
}

}  // namespace

std::vector<product_order> products_of(const selection& what) {
  std::set<std::array<index_t, 3>> shapes;
  for (const index_t n : what.sizes) shapes.insert({n, n, n});
  for (const std::vector<index_t>& s : what.shapes)
    if (s.size() == 3) shapes.insert({s[0], s[1], s[2]});
  if (shapes.empty()) {
    const auto n = static_cast<index_t>(2048 * std::ceil(std::sqrt(static_cast<double>(self().size)) / 2));
    shapes.insert({n, n, n});
  }
  std::vector<product_order> orders;
  for (const char* const type : {"f32", "f64"}) {
    if (!what.types.empty() && std::ranges::count(what.types, type) == 0) continue;
    const bool wide = type == std::string("f64");
    for (const auto& [m, n, k] : shapes) {
      require_possible(m, n, k, wide ? 8 : 4);
      orders.push_back({wide, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), what.seconds});
    }
  }
  return orders;
}

product_answer measure_product(const product_order& order, const std::function<bool(double seconds)>& goes_on) {
  return order.wide ? measure<double>(order, goes_on) : measure<float>(order, goes_on);
}

}  // namespace abax::perf::ranks
