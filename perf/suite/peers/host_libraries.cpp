// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MKL, OpenBLAS and BLIS, loaded when the program runs: nothing is needed to build, nothing missed where they are not.
#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "../machine.hpp"
#include "peers.hpp"

namespace abax::perf {
namespace {

/// Where packages put a library, best first: the variants on OpenMP share Abax' own threads, so that no idle pool of
/// one spins on the cores of another.
struct library {
  const char* name;
  const char* title;
  std::vector<const char*> files;
};
const std::vector<library>& libraries() {
  static const std::vector<library> all{
      {"mkl", "MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}},
      {"openblas",
       "OpenBLAS",
       {"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0",
        "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0", "libopenblas.so.0", "libopenblas.so"}},
      {"blis",
       "BLIS",
       {"/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4", "/usr/lib/aarch64-linux-gnu/blis-openmp/libblis.so.4",
        "libblis.so.4", "libblis.so"}}};
  return all;
}

/// PyPI's builds of OpenBLAS (scipy-openblas32) put a word before each name.
template <class F>
F* symbol(void* handle, const std::string& name) {
  void* const found = dlsym(handle, name.c_str());
  return reinterpret_cast<F*>(found != nullptr ? found : dlsym(handle, ("scipy_" + name).c_str()));
}

/// The Fortran interface with 32-bit integers, which all three have.
template <class T>
class fortran final : public routines<T> {
 public:
  explicit fortran(void* handle) {
    const std::string type = sizeof(T) == 4 ? "s" : "d";
    gemm_ = symbol<gemm_type>(handle, type + "gemm_");
    gemv_ = symbol<gemv_type>(handle, type + "gemv_");
    dot_ = symbol<dot_type>(handle, type + "dot_");
    copy_ = symbol<copy_type>(handle, type + "copy_");
    mkl_omatcopy_ = symbol<mkl_omatcopy_type>(handle, sizeof(T) == 4 ? "MKL_Somatcopy" : "MKL_Domatcopy");
    if (mkl_omatcopy_ == nullptr) omatcopy_ = symbol<omatcopy_type>(handle, type + "omatcopy_");
  }

  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, const T* a, index_t lda, const T* b,
            index_t ldb, T* c, index_t ldc) const override {
    if (gemm_ == nullptr) return false;
    const int sizes[] = {int(m), int(n), int(k), int(lda), int(ldb), int(ldc)};
    gemm_(&trans_a, &trans_b, &sizes[0], &sizes[1], &sizes[2], &one, a, &sizes[3], b, &sizes[4], &zero, c, &sizes[5]);
    return true;
  }
  bool gemv(char trans, index_t m, index_t n, const T* a, index_t lda, const T* x, T* y) const override {
    if (gemv_ == nullptr) return false;
    const int rows = int(m), cols = int(n), ld = int(lda);
    gemv_(&trans, &rows, &cols, &one, a, &ld, x, &stride, &zero, y, &stride);
    return true;
  }
  bool dot(index_t n, const T* x, const T* y, T* result) const override {
    if (dot_ == nullptr) return false;
    const int size = int(n);
    *result = dot_(&size, x, &stride, y, &stride);
    return true;
  }
  bool transpose(index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    if (mkl_omatcopy_ != nullptr) {
      mkl_omatcopy_('C', 'T', m, n, one, a, lda, b, ldb);
      return true;
    }
    if (omatcopy_ == nullptr) return false;
    const int rows = int(m), cols = int(n), ld_a = int(lda), ld_b = int(ldb);
    omatcopy_("C", "T", &rows, &cols, &one, a, &ld_a, b, &ld_b);
    return true;
  }
  bool copy(index_t n, const T* x, T* y) const override {
    if (copy_ == nullptr) return false;
    const int size = int(n);
    copy_(&size, x, &stride, y, &stride);
    return true;
  }

 private:
  using gemm_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                         const T*, const int*, const T*, T*, const int*);
  using gemv_type = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*,
                         const T*, T*, const int*);
  using dot_type = T(const int*, const T*, const int*, const T*, const int*);
  using copy_type = void(const int*, const T*, const int*, T*, const int*);
  using omatcopy_type = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*, T*,
                             const int*);
  using mkl_omatcopy_type = void(char, char, std::size_t, std::size_t, T, const T*, std::size_t, T*, std::size_t);

  static constexpr T one = 1, zero = 0;
  static constexpr int stride = 1;
  gemm_type* gemm_ = nullptr;
  gemv_type* gemv_ = nullptr;
  dot_type* dot_ = nullptr;
  copy_type* copy_ = nullptr;
  omatcopy_type* omatcopy_ = nullptr;
  mkl_omatcopy_type* mkl_omatcopy_ = nullptr;
};

/// Each library has its own call for its threads; without it, some run on one.
void set_threads(void* handle, int threads) {
  if (const auto set = symbol<void(int)>(handle, "MKL_Set_Dynamic")) set(0);
  for (const char* name : {"MKL_Set_Num_Threads", "openblas_set_num_threads"})
    if (const auto set = symbol<void(int)>(handle, name)) set(threads);
  if (const auto set = symbol<void(std::int64_t)>(handle, "bli_thread_set_num_threads")) set(threads);
}

std::string version_of(void* handle) {
  std::string text;
  if (const auto mkl = symbol<void(char*, int)>(handle, "MKL_Get_Version_String")) {
    text.resize(256, ' ');
    mkl(text.data(), static_cast<int>(text.size()));
  } else if (const auto openblas = symbol<const char*()>(handle, "openblas_get_config")) {
    text = openblas();
  } else if (const auto blis = symbol<const char*()>(handle, "bli_info_get_version_str")) {
    text = "BLIS " + std::string(blis());
    if (const auto kernels = symbol<const char*(int)>(handle, "bli_arch_string"))
      if (const auto id = symbol<int()>(handle, "bli_arch_query_id")) text += std::string(" ") + kernels(id());
  }
  text = text.substr(0, text.find('\0'));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// While it lives the calling thread may run on every CPU that the process has. OpenMP binds it to one of them, and
/// threads that a library starts by itself would inherit that: all of them would share one core.
class unbound {
 public:
  unbound() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const int cpu : allowed_cpus()) CPU_SET(cpu, &all);
    sched_setaffinity(0, sizeof all, &all);
  }
  ~unbound() { sched_setaffinity(0, sizeof before_, &before_); }
  unbound(const unbound&) = delete;
  unbound& operator=(const unbound&) = delete;

 private:
  cpu_set_t before_{};
};

/// A product that is large enough for all threads: they are there from then on.
void start_threads(const routines<float>& library) {
  constexpr index_t n = 512;
  const std::vector<float> zeros(n * n);
  std::vector<float> product(n * n);
  library.gemm('N', 'N', n, n, n, zeros.data(), n, zeros.data(), n, product.data(), n);
}

}  // namespace

void find_host_libraries(peer_search& search, std::span<const std::string> names, std::span<const peer_file> files) {
  // MKL on GCC's OpenMP, as Abax is; read when it loads.
  setenv("MKL_THREADING_LAYER", "GNU", 0);
  setenv("MKL_INTERFACE_LAYER", "LP64", 0);
  for (const library& l : libraries()) {
    if (!names.empty() && std::find(names.begin(), names.end(), l.name) == names.end()) continue;
    const auto given = std::find_if(files.begin(), files.end(), [&](const peer_file& f) { return f.name == l.name; });
    const std::vector<const char*> places = given == files.end() ? l.files : std::vector{given->path.c_str()};
    const unbound here;
    void* handle = nullptr;
    std::string why;
    for (const char* const file : places) {
      // Each resolves its own calls in itself first: several BLAS libraries stand in this process.
      if (handle == nullptr) handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
      if (handle == nullptr) why += (why.empty() ? "" : "; ") + std::string(dlerror());
    }
    if (handle == nullptr) {
      if (given != files.end()) throw std::runtime_error(std::string(l.title) + " does not load: " + why);
      search.missing.emplace_back(l.name, why + "; elsewhere: --library " + l.name + "=FILE");
      continue;
    }
    set_threads(handle, static_cast<int>(thread_cpus().size()));
    search.found.push_back({l.title, version_of(handle), true, std::make_unique<fortran<float>>(handle),
                            std::make_unique<fortran<double>>(handle)});
    start_threads(*search.found.back().f32);
  }
}

}  // namespace abax::perf
