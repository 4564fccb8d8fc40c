// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MKL, OpenBLAS and BLIS, loaded when the program runs.
#include <sched.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "../loaded.hpp"
#include "../machine.hpp"
#include "../other_threads.hpp"
#include "peers.hpp"

namespace abax::perf {
namespace {

/// PyPI's builds of OpenBLAS (scipy-openblas32) put a word before each name.
template <class F>
F* routine(void* library, const std::string& name) {
  F* const found = symbol<F>(library, name);
  return found != nullptr ? found : symbol<F>(library, "scipy_" + name);
}

std::string version_of(void* library) {
  std::string text;
  if (const auto mkl = routine<void(char*, int)>(library, "MKL_Get_Version_String")) {
    text.resize(256, ' ');
    mkl(text.data(), static_cast<int>(text.size()));
  } else if (const auto openblas = routine<const char*()>(library, "openblas_get_config")) {
    text = openblas();
  } else if (const auto blis = routine<const char*()>(library, "bli_info_get_version_str")) {
    text = "BLIS " + std::string(blis());
    if (const auto kernels = routine<const char*(int)>(library, "bli_arch_string"))
      if (const auto id = routine<int()>(library, "bli_arch_query_id")) text += std::string(" ") + kernels(id());
  }
  text = text.substr(0, text.find('\0'));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// False for OpenBLAS up to 0.3.34, and for PyPI's builds of it up to 0.3.34.237: a call of their batches ends the
/// process.
bool survives_batches(const std::string& version) {
  std::array<int, 4> number{};
  const int read = std::sscanf(version.c_str(), "OpenBLAS %d.%d.%d.%d", &number[0], &number[1], &number[2], &number[3]);
  return read < 3 || number > std::array{0, 3, 34, 237};
}

/// The Fortran interface with 32-bit integers, which all three have.
template <class T>
class fortran final : public routines<T> {
  using real = tile::real_of<T>;

 public:
  explicit fortran(void* library) : library_(library) {
    if (!survives_batches(version_of(library)) || !multiplies_batches()) gemm_batch_strided_ = nullptr;
  }

  bool gemm(char trans_a, char trans_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda, const T* b,
            index_t ldb, T beta, T* c, index_t ldc) const override {
    if (gemm_ == nullptr) return false;
    const int sizes[] = {int(m), int(n), int(k)}, leading[] = {int(lda), int(ldb), int(ldc)};
    gemm_(&trans_a, &trans_b, &sizes[0], &sizes[1], &sizes[2], &alpha, a, &leading[0], b, &leading[1], &beta, c,
          &leading[2]);
    return true;
  }
  bool syrk(char uplo, char trans, index_t n, index_t k, T alpha, const T* a, index_t lda, T beta, T* c,
            index_t ldc) const override {
    if (syrk_ == nullptr) return false;
    const int sizes[] = {int(n), int(k)}, leading[] = {int(lda), int(ldc)};
    syrk_(&uplo, &trans, &sizes[0], &sizes[1], &alpha, a, &leading[0], &beta, c, &leading[1]);
    return true;
  }
  bool herk(char uplo, char trans, index_t n, index_t k, real alpha, const T* a, index_t lda, real beta, T* c,
            index_t ldc) const override {
    if (herk_ == nullptr) return false;
    const int sizes[] = {int(n), int(k)}, leading[] = {int(lda), int(ldc)};
    herk_(&uplo, &trans, &sizes[0], &sizes[1], &alpha, a, &leading[0], &beta, c, &leading[1]);
    return true;
  }
  bool gemv(char trans, index_t m, index_t n, T alpha, const T* a, index_t lda, const T* x, T beta,
            T* y) const override {
    if (gemv_ == nullptr) return false;
    const int rows = int(m), cols = int(n), leading = int(lda);
    gemv_(&trans, &rows, &cols, &alpha, a, &leading, x, &stride, &beta, y, &stride);
    return true;
  }
  /// By the library's own batches, or, where it has none that work, in a loop.
  bool gemm_batched(index_t n, index_t items, const T* a, const T* b, T* c) const override {
    if (gemm_batch_strided_ != nullptr) {
      const int size = int(n), step = size * size, count = int(items);
      gemm_batch_strided_("N", "N", &size, &size, &size, &one, a, &size, &step, b, &size, &step, &zero, c, &size, &step,
                          &count);
      return true;
    }
    for (index_t i = 0; i < items && gemm_ != nullptr; ++i)
      gemm('N', 'N', n, n, n, one, a + i * n * n, n, b + i * n * n, n, zero, c + i * n * n, n);
    return gemm_ != nullptr;
  }
  bool gemv_batched(index_t n, index_t items, const T* a, const T* x, T* y) const override {
    for (index_t i = 0; i < items && gemv_ != nullptr; ++i)
      gemv('N', n, n, one, a + i * n * n, n, x + i * n, zero, y + i * n);
    return gemv_ != nullptr;
  }
  bool dot(index_t n, const T* x, const T* y, T* result) const override {
    if constexpr (tile::is_complex<T>) {
      return dot_by(dotu_sub_, n, x, y, result);
    } else {
      if (dot_ == nullptr) return false;
      const int size = int(n);
      *result = dot_(&size, x, &stride, y, &stride);
      return true;
    }
  }
  bool dotc(index_t n, const T* x, const T* y, T* result) const override { return dot_by(dotc_sub_, n, x, y, result); }
  bool transpose(char trans, index_t m, index_t n, const T* a, index_t lda, T* b, index_t ldb) const override {
    const int rows = int(m), cols = int(n), leading_a = int(lda), leading_b = int(ldb);
    if (mkl_omatcopy_ != nullptr)
      mkl_omatcopy_('C', trans, m, n, one, a, lda, b, ldb);
    else if (omatcopy_ != nullptr)
      omatcopy_("C", &trans, &rows, &cols, &one, a, &leading_a, b, &leading_b);
    return mkl_omatcopy_ != nullptr || omatcopy_ != nullptr;
  }
  bool copy(index_t n, const T* x, T* y) const override {
    if (copy_ == nullptr) return false;
    const int size = int(n);
    copy_(&size, x, &stride, y, &stride);
    return true;
  }

 private:
  /// Of the routines that BLAS has for real numbers, and for complex ones.
  static constexpr char letter = tile::is_complex<T> ? (sizeof(real) == 4 ? 'c' : 'z') : sizeof(real) == 4 ? 's' : 'd';
  /// OpenBLAS 0.3.34.481 goes half as far from one complex matrix to the next as it is told.
  bool multiplies_batches() const {
    const T a[] = {one, one}, b[] = {one, one};
    T c[] = {zero, zero};
    return gemm_batch_strided_ != nullptr && gemm_batched(1, 2, a, b, c) && std::memcmp(&c[1], &one, sizeof one) == 0;
  }
  template <class F>
  F* find(const char* name) const {
    return routine<F>(library_, letter + std::string(name));
  }
  // Fortran's functions return a complex number in one way or another; CBLAS' names of them do not depend on it.
  using dot_sub_type = void(int, const void*, int, const void*, int, void*);
  dot_sub_type* find_dot_sub(const char* name) const {
    return tile::is_complex<T> ? routine<dot_sub_type>(library_, std::string("cblas_") + letter + name) : nullptr;
  }
  static bool dot_by(dot_sub_type* routine, index_t n, const T* x, const T* y, T* result) {
    if (routine != nullptr) routine(int(n), x, stride, y, stride, result);
    return routine != nullptr;
  }
  using gemm_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                         const T*, const int*, const T*, T*, const int*);
  using gemm_batch_strided_type = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                                       const int*, const int*, const T*, const int*, const int*, const T*, T*,
                                       const int*, const int*, const int*);
  using syrk_type = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, T*,
                         const int*);
  using herk_type = void(const char*, const char*, const int*, const int*, const real*, const T*, const int*,
                         const real*, T*, const int*);
  using gemv_type = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*,
                         const T*, T*, const int*);
  using omatcopy_type = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*, T*,
                             const int*);
  using mkl_omatcopy_type = void(char, char, std::size_t, std::size_t, T, const T*, std::size_t, T*, std::size_t);

  static constexpr T one = T(1), zero = T(0);
  static constexpr int stride = 1;
  void* library_;
  gemm_type* gemm_ = find<gemm_type>("gemm_");
  gemm_batch_strided_type* gemm_batch_strided_ = find<gemm_batch_strided_type>("gemm_batch_strided_");
  syrk_type* syrk_ = find<syrk_type>("syrk_");
  herk_type* herk_ = find<herk_type>("herk_");
  gemv_type* gemv_ = find<gemv_type>("gemv_");
  T(*dot_)
  (const int*, const T*, const int*, const T*, const int*) = find<std::remove_pointer_t<decltype(dot_)>>("dot_");
  dot_sub_type *dotu_sub_ = find_dot_sub("dotu_sub"), *dotc_sub_ = find_dot_sub("dotc_sub");
  void (*copy_)(const int*, const T*, const int*, T*,
                const int*) = find<std::remove_pointer_t<decltype(copy_)>>("copy_");
  omatcopy_type* omatcopy_ = find<omatcopy_type>("omatcopy_");
  mkl_omatcopy_type* mkl_omatcopy_ =
      symbol<mkl_omatcopy_type>(library_, std::string("MKL_") + static_cast<char>(std::toupper(letter)) + "omatcopy");
};

/// Each library has its own call for its threads; without it, some run on one.
void set_threads(void* library, int threads) {
  if (const auto set = routine<void(int)>(library, "MKL_Set_Dynamic")) set(0);
  for (const char* name : {"MKL_Set_Num_Threads", "openblas_set_num_threads"})
    if (const auto set = routine<void(int)>(library, name)) set(threads);
  if (const auto set = routine<void(std::int64_t)>(library, "bli_thread_set_num_threads")) set(threads);
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
  library.gemm('N', 'N', n, n, n, 1, zeros.data(), n, zeros.data(), n, 0, product.data(), n);
}

/// `files`: where packages put it, best first.
finding find_library(const char* name, const char* title, backend where, const std::string& file,
                     const std::vector<std::string>& files) {
  if (where == backend::device) return {};
  // MKL on GCC's OpenMP, as Abax is; read when it loads.
  setenv("MKL_THREADING_LAYER", "GNU", 0);
  setenv("MKL_INTERFACE_LAYER", "LP64", 0);
  // OpenBLAS' threads spin for 2^22 cycles after a call, some 2 ms, instead of 2^28: after a wait of 100 ms a virtual
  // machine's memory is slow at first.
  setenv("OPENBLAS_THREAD_TIMEOUT", "22", 0);
  const unbound here;
  const std::size_t threads = other_threads().size();
  std::string why;
  void* const library = load_first(file.empty() ? files : std::vector{file}, by_itself, &why);
  if (library == nullptr && !file.empty()) throw std::runtime_error(std::string(title) + " does not load: " + why);
  if (library == nullptr) return {{}, why + "; elsewhere: --library " + name + "=FILE"};
  set_threads(library, static_cast<int>(thread_cpus().size()));
  peer found{title, version_of(library), true, all_routines<fortran>(library)};
  start_threads(found.of<float>());
  if (other_threads().size() > threads) {
    found.takes_turns = wait_for_other_threads() != waited::in_vain;  // as with OMP_WAIT_POLICY=active
    found.version += ", on threads of its own";
    if (!found.takes_turns) found.version += ", which share cores with others that never sleep";
  }
  return {std::move(found), ""};
}

}  // namespace

finding find_mkl(backend where, const std::string& file) {
  return find_library("mkl", "MKL", where, file, {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"});
}

// Of these two the variants on OpenMP come first: they share Abax' own threads, so that no idle pool of one spins on
// the cores of another.
finding find_openblas(backend where, const std::string& file) {
  return find_library(
      "openblas", "OpenBLAS", where, file,
      {"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0",
       "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0", "libopenblas.so.0", "libopenblas.so"});
}

finding find_blis(backend where, const std::string& file) {
  return find_library("blis", "BLIS", where, file,
                      {"/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4",
                       "/usr/lib/aarch64-linux-gnu/blis-openmp/libblis.so.4", "libblis.so.4", "libblis.so"});
}

}  // namespace abax::perf
