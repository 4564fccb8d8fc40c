// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// placement [memory]: the BLAS with operands in memory of malloc, page-locked memory and the device's, in any mix,
// under the backend that ABAX_BLAS_BACKEND names. Each result has the bits of abax.h's host stream, in every byte of
// its memory. With `memory`: the same while the device has less and less of it. Exits with 77 where it needs a GPU and
// sees none.
#include <abax/abax.h>
#include <abax/cblas.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if PLACEMENT_CUDA
#include <cuda_runtime_api.h>
#endif

extern "C" {
void somatcopy_(const char*, const char*, const int*, const int*, const float*, const float*, const int*, float*,
                const int*);
void domatcopy_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
                const int*);
}

namespace {

std::atomic<int> wrong = 0;

// --- Memory.

enum place { own, locked, device };
constexpr const char* names[] = {"malloc", "page-locked", "device"};
std::vector<place> places = {own};  // those that may be used here

bool gpu_is_visible() {
#if PLACEMENT_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
#else
  return false;
#endif
}

/// A copy of `values` somewhere.
template <class T>
class operand {
 public:
  operand(place where, const std::vector<T>& values) : where_(where), size_(values.size()) {
    if (where == own) data_ = static_cast<T*>(std::malloc(bytes()));
#if PLACEMENT_CUDA
    void* memory = nullptr;
    if (where == locked && cudaMallocHost(&memory, bytes()) != cudaSuccess) std::abort();
    if (where == device && cudaMalloc(&memory, bytes()) != cudaSuccess) std::abort();
    if (where != own) data_ = static_cast<T*>(memory);
#endif
    transfer(data_, values.data());
  }
  ~operand() {
    if (where_ == own) std::free(data_);
#if PLACEMENT_CUDA
    if (where_ == locked) cudaFreeHost(data_);
    if (where_ == device) cudaFree(data_);
#endif
  }
  operand(const operand&) = delete;
  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> copy(size_);
    transfer(copy.data(), data_);
    return copy;
  }

 private:
  std::size_t bytes() const { return sizeof(T) * size_; }
  void transfer(void* to, const void* from) const {
#if PLACEMENT_CUDA
    if (where_ == device && cudaMemcpy(to, from, bytes(), cudaMemcpyDefault) != cudaSuccess) std::abort();
#endif
    if (where_ != device) std::memcpy(to, from, bytes());
  }

  place where_;
  std::size_t size_;
  T* data_ = nullptr;
};

// --- Numbers.

std::uint64_t next(std::uint64_t& state) {  // SplitMix64
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
/// In [-1, 1), but one in `every` is NaN, infinite, a zero, subnormal or huge (0: none).
template <class T>
std::vector<T> random(std::size_t count, std::uint64_t seed, unsigned every) {
  using limits = std::numeric_limits<T>;
  const T special[] = {limits::quiet_NaN(), limits::infinity(), T(0), -T(0), limits::denorm_min(), limits::max()};
  std::vector<T> values(count);
  for (T& value : values) {
    value = static_cast<T>(static_cast<double>(next(seed) >> 11) / (1ull << 52) - 1);
    if (every != 0 && next(seed) % every == 0) value = special[next(seed) % 6];
  }
  return values;
}
template <class T>
std::vector<T> all_nan(std::size_t count) {
  return std::vector<T>(count, std::numeric_limits<T>::quiet_NaN());
}

template <class T>
void check(const std::string& what, const std::vector<T>& got, const std::vector<T>& want) {
  if (std::memcmp(got.data(), want.data(), sizeof(T) * want.size()) == 0) return;
  std::size_t i = 0;
  while (std::memcmp(&got[i], &want[i], sizeof(T)) == 0) ++i;
  if (wrong++ < 20) std::printf("%s: element %zu is %a, not %a\n", what.c_str(), i, double(got[i]), double(want[i]));
}

// --- The routines by type.

template <class T>
struct blas;
template <>
struct blas<float> {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto gemm_batch_strided = cblas_sgemm_batch_strided;
  static constexpr auto gemm_batch = cblas_sgemm_batch;
  static constexpr auto gemv = cblas_sgemv;
  static constexpr auto dot = cblas_sdot;
  static constexpr auto axpy = cblas_saxpy;
  static constexpr auto scal = cblas_sscal;
  static constexpr auto copy = cblas_scopy;
  static constexpr auto omatcopy = somatcopy_;
  static constexpr auto host_gemm = abax_sgemm;
  static constexpr auto host_gemv = abax_sgemv;
  static constexpr auto host_dot = abax_sdot;
  static constexpr auto host_axpby = abax_saxpby;
  static constexpr auto host_scal = abax_sscal;
};
template <>
struct blas<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto gemm_batch_strided = cblas_dgemm_batch_strided;
  static constexpr auto gemm_batch = cblas_dgemm_batch;
  static constexpr auto gemv = cblas_dgemv;
  static constexpr auto dot = cblas_ddot;
  static constexpr auto axpy = cblas_daxpy;
  static constexpr auto scal = cblas_dscal;
  static constexpr auto copy = cblas_dcopy;
  static constexpr auto omatcopy = domatcopy_;
  static constexpr auto host_gemm = abax_dgemm;
  static constexpr auto host_gemv = abax_dgemv;
  static constexpr auto host_dot = abax_ddot;
  static constexpr auto host_axpby = abax_daxpby;
  static constexpr auto host_scal = abax_dscal;
};

abax_stream* host() {
  static abax_stream* const stream = [] {
    abax_stream* opened = nullptr;
    if (abax_open(ABAX_HOST, nullptr, ABAX_TRUST_OPERANDS, &opened) != ABAX_SUCCESS) std::abort();
    return opened;
  }();
  return stream;
}

template <class T>
struct product {
  int m, n, k;
  bool turn_a, turn_b;
  T alpha, beta;
  int pad;  // rows that lie between columns
  unsigned special;

  int lda() const { return (turn_a ? k : m) + pad; }
  int ldb() const { return (turn_b ? n : k) + pad; }
  int ldc() const { return m + pad; }
  std::vector<T> a() const { return random<T>(std::size_t(lda()) * (turn_a ? m : k), 1, special); }
  std::vector<T> b() const { return random<T>(std::size_t(ldb()) * (turn_b ? k : n), 2, special); }
  std::vector<T> c() const {
    const std::size_t count = std::size_t(ldc()) * n;
    return beta == T(0) ? all_nan<T>(count) : random<T>(count, 3, special);
  }
  void run(const T* A, const T* B, T* C) const {
    blas<T>::gemm(CblasColMajor, turn_a ? CblasTrans : CblasNoTrans, turn_b ? CblasTrans : CblasNoTrans, m, n, k, alpha,
                  A, lda(), B, ldb(), beta, C, ldc());
  }
  std::vector<T> wanted() const {
    const std::vector<T> A = a(), B = b();
    std::vector<T> C = c();
    blas<T>::host_gemm(host(), turn_a ? 'T' : 'N', turn_b ? 'T' : 'N', m, n, k, alpha, A.data(), 1, lda(), B.data(), 1,
                       ldb(), beta, C.data(), 1, ldc());
    return C;
  }
  std::string name() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + (turn_a ? " T" : " N") +
           (turn_b ? "T" : "N") + " alpha " + std::to_string(alpha) + " beta " + std::to_string(beta);
  }
};

template <class T>
void check_product(const product<T>& p, const std::vector<T>& want, place a, place b, place c) {
  const operand<T> A(a, p.a()), B(b, p.b()), C(c, p.c());
  p.run(A.data(), B.data(), C.data());
  check("gemm " + p.name() + " A " + names[a] + " B " + names[b] + " C " + names[c], C.values(), want);
}

template <class T>
void check_products() {
  // One block of everything; several along each extent; several groups of terms with C as its own total, and apart.
  for (const auto& p : std::initializer_list<product<T>>{{1, 1, 1, false, false, 1, 0, 0, 0},
                                                         {37, 29, 41, true, false, T(1.5), T(-0.5), 3, 9},
                                                         {130, 1, 300, false, false, 1, 1, 1, 0},
                                                         {70, 90, 5000, false, true, 1, 0, 1, 0},
                                                         {70, 90, 5000, true, true, T(-1.25), T(0.75), 5, 4000},
                                                         {60, 50, 4097, false, false, 1, 1, 0, 0},
                                                         {60, 50, 6144, false, false, T(0.5), 0, 2, 0},
                                                         {40, 30, 0, false, false, 1, T(0.5), 2, 9},
                                                         {40, 30, 20, false, false, 0, T(0.5), 2, 9},
                                                         {40, 30, 20, false, false, 0, 0, 2, 9}}) {
    const std::vector<T> want = p.wanted();
    for (const place a : places)
      for (const place b : places)
        for (const place c : places) check_product(p, want, a, b, c);
  }
  if (places.size() == 1) return;
  for (const auto& p : std::initializer_list<product<T>>{{8300, 600, 4200, false, false, 1, 0, 1, 0},
                                                         {1100, 2500, 6200, true, false, T(1.5), T(-0.5), 0, 100000},
                                                         {2200, 2100, 2000, false, true, 1, 1, 3, 0}}) {
    const std::vector<T> want = p.wanted();
    for (const place all : places) check_product(p, want, all, all, all);
    check_product(p, want, device, own, locked);
    check_product(p, want, own, locked, device);
  }
}

/// Batches by rows, strided and in one group, with what lies between items.
template <class T>
void check_batches() {
  using f = blas<T>;
  const int m = 9, n = 7, k = 5, lda = 6, ldb = 8, ldc = 10, step_b = 44, step_c = 95, items = 50;
  const T alpha = T(1.5), beta = T(-0.5);
  const CBLAS_TRANSPOSE turn_a = CblasNoTrans, turn_b = CblasNoTrans;
  const std::vector<T> a = random<T>(60 * items, 10, 60), b = random<T>(step_b * items, 11, 60),
                       c = random<T>(step_c * items, 12, 60);
  // Items of A apart, and one for all; then products in which nothing of A and B is read.
  for (const auto& [step_a, factor] : {std::pair(60, alpha), {0, alpha}, {60, T(0)}}) {
    std::vector<T> want = c;
    for (int i = 0; i < items; ++i)
      f::host_gemm(host(), 'N', 'N', m, n, k, factor, &a[i * step_a], lda, 1, &b[i * step_b], ldb, 1, beta,
                   &want[i * step_c], ldc, 1);
    for (const place of_a : places)
      for (const place of_b : places)
        for (const place of_c : places) {
          const std::string where = std::string(" A ") + names[of_a] + " B " + names[of_b] + " C " + names[of_c];
          const operand<T> A(of_a, a), B(of_b, b), C(of_c, c), D(of_c, c);
          f::gemm_batch_strided(CblasRowMajor, turn_a, turn_b, m, n, k, factor, A.data(), lda, step_a, B.data(), ldb,
                                step_b, beta, C.data(), ldc, step_c, items);
          check("gemm_batch_strided" + where, C.values(), want);
          std::vector<const T*> a_at, b_at;
          std::vector<T*> d_at;
          for (int i = 0; i < items; ++i) {
            a_at.push_back(A.data() + i * step_a);
            b_at.push_back(B.data() + i * step_b);
            d_at.push_back(D.data() + i * step_c);
          }
          f::gemm_batch(CblasRowMajor, &turn_a, &turn_b, &m, &n, &k, &factor, a_at.data(), &lda, b_at.data(), &ldb,
                        &beta, d_at.data(), &ldc, 1, &items);
          check("gemm_batch" + where, D.values(), want);
        }
  }
}

/// Elements of a vector of n, and of what lies around it. One NaN among the terms would make a sum that alone.
template <class T>
std::vector<T> vector(int n, int inc, std::uint64_t seed, unsigned special = 17) {
  return random<T>(std::size_t(n) * std::max(1, std::abs(inc)) + 3, seed, special);
}
template <class T>
T* first(T* x, int n, int inc) {
  return inc < 0 ? x - std::int64_t(n - 1) * inc : x;
}

struct two_vectors {
  place x, y;
  unsigned special;
};
std::vector<two_vectors> vector_places() {
  std::vector<two_vectors> all;
  for (const place x : places)
    for (const place y : places)
      for (const unsigned special : {0u, 17u}) all.push_back({x, y, special});
  return all;
}

template <class T>
void check_vectors() {
  using f = blas<T>;
  const int m = 130, n = 2100, lda = m + 3;
  const std::vector<T> a = random<T>(std::size_t(lda) * n, 4, 400);
  for (const place of_a : places)
    for (const place of_x : places)
      for (const place of_y : places)
        for (const bool turned : {false, true})
          for (const int inc : {1, -2}) {
            const std::string where = std::string(" A ") + names[of_a] + " x " + names[of_x] + " y " + names[of_y] +
                                      (turned ? " T" : " N") + " increments " + std::to_string(inc);
            const int terms = turned ? m : n, outputs = turned ? n : m, incy = 1 - 2 * inc;
            const T alpha = T(1.5), beta = T(inc == 1 ? 0 : -0.5);
            const std::vector<T> x = vector<T>(terms, inc, 5, 0);
            std::vector<T> want =
                beta == T(0) ? all_nan<T>(std::size_t(outputs) * std::abs(incy) + 3) : vector<T>(outputs, incy, 6);
            const operand<T> A(of_a, a), X(of_x, x), Y(of_y, want);
            f::gemv(CblasColMajor, turned ? CblasTrans : CblasNoTrans, m, n, alpha, A.data(), lda, X.data(), inc, beta,
                    Y.data(), incy);
            f::host_gemv(host(), turned ? 'T' : 'N', m, n, alpha, a.data(), 1, lda, first(x.data(), terms, inc), inc,
                         beta, first(want.data(), outputs, incy), incy);
            check("gemv" + where, Y.values(), want);
          }
  const int count = 5000;
  for (const auto& [of_x, of_y, special] : vector_places())
    for (const int incx : {1, -3, 0})
      for (const int incy : {1, -2}) {
        const std::string where = std::string(" x ") + names[of_x] + " y " + names[of_y] + " increments " +
                                  std::to_string(incx) + " " + std::to_string(incy);
        const std::vector<T> x = vector<T>(count, incx, 7, special), y = vector<T>(count, incy, 8, special);
        const T* const from = first(x.data(), count, incx);
        const operand<T> X(of_x, x), Y(of_y, y), Z(of_y, y), S(of_y, y), O(of_y, y);
        std::vector<T> want = y, dots(1);
        f::host_axpby(host(), count, T(1.5), from, incx, 1, first(want.data(), count, incy), incy);
        f::axpy(count, T(1.5), X.data(), incx, Y.data(), incy);
        check("axpy" + where, Y.values(), want);
        want = y;
        for (int i = 0; i < count; ++i) first(want.data(), count, incy)[i * incy] = from[i * incx];
        f::copy(count, X.data(), incx, Z.data(), incy);
        check("copy" + where, Z.values(), want);
        f::host_dot(host(), count, from, incx, first(y.data(), count, incy), incy, dots.data());
        check("dot" + where, {f::dot(count, X.data(), incx, S.data(), incy)}, dots);
        if (incy < 0) continue;
        want = y;
        f::host_scal(host(), count / 2, want.data(), 2, T(-3), want.data(), 2);
        f::scal(count / 2, T(-3), S.data(), 2);
        check("scal" + where, S.values(), want);
        want = y;  // by zero it multiplies, too
        for (int i = 0; i < count / 2; ++i) {
          const T r = T(-0.0) * want[2 * i];
          want[2 * i] = r != r ? std::numeric_limits<T>::quiet_NaN() : r;
        }
        f::scal(count / 2, T(-0.0), O.data(), 2);
        check("scal by zero" + where, O.values(), want);
      }
  const int rows = 70, cols = 90, ldb = cols + 2, ld = rows + 1;
  const T alpha = T(-2.5);
  const std::vector<T> from = random<T>(std::size_t(ld) * cols, 9, 0);
  for (const place of_a : places)
    for (const place of_b : places) {
      std::vector<T> want(std::size_t(ldb) * rows, T(7));
      const operand<T> A(of_a, from), B(of_b, want);
      f::omatcopy("C", "T", &rows, &cols, &alpha, A.data(), &ld, B.data(), &ldb);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) want[std::size_t(i) * ldb + j] = alpha * from[std::size_t(j) * ld + i];
      check(std::string("omatcopy A ") + names[of_a] + " B " + names[of_b], B.values(), want);
    }
}

// --- Complex routines. Operands are their parts, two real numbers an element.

template <class R>
struct complex_blas;
template <>
struct complex_blas<float> {
  using number = abax_complex_float;
  static constexpr auto gemm = cblas_cgemm;
  static constexpr auto gemm_batch_strided = cblas_cgemm_batch_strided;
  static constexpr auto gemm_batch = cblas_cgemm_batch;
  static constexpr auto gemmt = cblas_cgemmt;
  static constexpr auto syrk = cblas_csyrk;
  static constexpr auto herk = cblas_cherk;
  static constexpr auto gemv = cblas_cgemv;
  static constexpr auto axpy = cblas_caxpy;
  static constexpr auto scal = cblas_cscal;
  static constexpr auto copy = cblas_ccopy;
  static constexpr auto omatcopy = cblas_comatcopy;
  static constexpr auto dotu = cblas_cdotu_sub;
  static constexpr auto dotc = cblas_cdotc_sub;
  static constexpr auto nrm2 = cblas_scnrm2;
  static constexpr auto asum = cblas_scasum;
  static constexpr auto iamax = cblas_icamax;
  static constexpr auto scal_by_real = cblas_csscal;
  static constexpr auto host_gemm = abax_cgemm;
  static constexpr auto host_gemmt = abax_cgemmt;
  static constexpr auto host_syrk = abax_csyrk;
  static constexpr auto host_herk = abax_cherk;
  static constexpr auto host_gemv = abax_cgemv;
  static constexpr auto host_dotu = abax_cdotu;
  static constexpr auto host_dotc = abax_cdotc;
  static constexpr auto host_axpby = abax_caxpby;
  static constexpr auto host_scal = abax_cscal;
  static constexpr auto host_copy = abax_ccopy;
  static constexpr auto host_transpose = abax_ctranspose;
  static constexpr auto host_conjugate_transpose = abax_cconjugate_transpose;
  static constexpr auto host_nrm2 = abax_scnrm2;
  static constexpr auto host_asum = abax_scasum;
  static constexpr auto host_iamax = abax_icamax;
  static constexpr auto host_scal_by_real = abax_csscal;
};
template <>
struct complex_blas<double> {
  using number = abax_complex_double;
  static constexpr auto gemm = cblas_zgemm;
  static constexpr auto gemm_batch_strided = cblas_zgemm_batch_strided;
  static constexpr auto gemm_batch = cblas_zgemm_batch;
  static constexpr auto gemmt = cblas_zgemmt;
  static constexpr auto syrk = cblas_zsyrk;
  static constexpr auto herk = cblas_zherk;
  static constexpr auto gemv = cblas_zgemv;
  static constexpr auto axpy = cblas_zaxpy;
  static constexpr auto scal = cblas_zscal;
  static constexpr auto copy = cblas_zcopy;
  static constexpr auto omatcopy = cblas_zomatcopy;
  static constexpr auto dotu = cblas_zdotu_sub;
  static constexpr auto dotc = cblas_zdotc_sub;
  static constexpr auto nrm2 = cblas_dznrm2;
  static constexpr auto asum = cblas_dzasum;
  static constexpr auto iamax = cblas_izamax;
  static constexpr auto scal_by_real = cblas_zdscal;
  static constexpr auto host_gemm = abax_zgemm;
  static constexpr auto host_gemmt = abax_zgemmt;
  static constexpr auto host_syrk = abax_zsyrk;
  static constexpr auto host_herk = abax_zherk;
  static constexpr auto host_gemv = abax_zgemv;
  static constexpr auto host_dotu = abax_zdotu;
  static constexpr auto host_dotc = abax_zdotc;
  static constexpr auto host_axpby = abax_zaxpby;
  static constexpr auto host_scal = abax_zscal;
  static constexpr auto host_copy = abax_zcopy;
  static constexpr auto host_transpose = abax_ztranspose;
  static constexpr auto host_conjugate_transpose = abax_zconjugate_transpose;
  static constexpr auto host_nrm2 = abax_dznrm2;
  static constexpr auto host_asum = abax_dzasum;
  static constexpr auto host_iamax = abax_izamax;
  static constexpr auto host_scal_by_real = abax_zdscal;
};

using mix = std::vector<place>;
/// Each of `count` operands in each kind of memory.
std::vector<mix> all_mixes(std::size_t count) {
  std::vector<mix> mixes{{}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<mix> longer;
    for (const mix& m : mixes)
      for (const place p : places) {
        longer.push_back(m);
        longer.back().push_back(p);
      }
    mixes = std::move(longer);
  }
  return mixes;
}

/// call(operands, result), of the BLAS, leaves what of_host(operands, result), of abax.h, does: in operands that begin
/// with `values`, and in two numbers on the host.
template <class R, class Call, class HostCall>
void compare(const std::string& what, const std::vector<std::vector<R>>& values, const std::vector<mix>& mixes,
             const Call& call, const HostCall& of_host) {
  std::vector<std::vector<R>> want = values;
  std::vector<R> result(2);
  std::vector<R*> at;
  for (std::vector<R>& each : want) at.push_back(each.data());
  of_host(at, result.data());
  for (const mix& m : mixes) {
    std::string where = "complex " + what;
    std::vector<std::unique_ptr<operand<R>>> operands;
    std::vector<R> got(2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      where += std::string(" ") + names[m[i]];
      operands.push_back(std::make_unique<operand<R>>(m[i], values[i]));
      at[i] = operands[i]->data();
    }
    call(at, got.data());
    check(where, got, result);
    for (std::size_t i = 0; i < values.size(); ++i) check(where, operands[i]->values(), want[i]);
  }
}

CBLAS_TRANSPOSE number_of(char op) { return op == 'N' ? CblasNoTrans : op == 'T' ? CblasTrans : CblasConjTrans; }
CBLAS_LAYOUT layout_of(bool by_rows) { return by_rows ? CblasRowMajor : CblasColMajor; }

template <class R>
struct complex_product {
  using f = complex_blas<R>;
  using number = typename f::number;

  int m, n, k;
  char a, b;
  bool by_rows;
  number alpha, beta;
  int pad;
  unsigned special;

  int ld(int rows, int cols) const { return (by_rows ? cols : rows) + pad; }
  int lda() const { return a == 'N' ? ld(m, k) : ld(k, m); }
  int ldb() const { return b == 'N' ? ld(k, n) : ld(n, k); }
  int ldc() const { return ld(m, n); }
  std::vector<R> values(int rows, int cols, std::uint64_t seed) const {
    return random<R>(std::size_t(2) * ld(rows, cols) * (by_rows ? rows : cols), seed, special);
  }
  void compare_in(const std::vector<mix>& mixes) const {
    std::vector<R> c = values(m, n, 3);
    if (beta.re == 0 && beta.im == 0) c = all_nan<R>(c.size());
    const std::string name = std::string("gemm ") + a + b + (by_rows ? " by rows " : " by columns ") +
                             std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + " alpha " +
                             std::to_string(alpha.re) + " beta " + std::to_string(beta.re);
    compare<R>(
        name, {a == 'N' ? values(m, k, 1) : values(k, m, 1), b == 'N' ? values(k, n, 2) : values(n, k, 2), c}, mixes,
        [this](const std::vector<R*>& at, R*) {
          f::gemm(layout_of(by_rows), number_of(a), number_of(b), m, n, k, &alpha, at[0], lda(), at[1], ldb(), &beta,
                  at[2], ldc());
        },
        [this](const std::vector<R*>& at, R*) {
          const auto row = [this](int ld) { return by_rows ? ld : 1; };
          const auto col = [this](int ld) { return by_rows ? 1 : ld; };
          const auto A = reinterpret_cast<const number*>(at[0]), B = reinterpret_cast<const number*>(at[1]);
          f::host_gemm(host(), a, b, m, n, k, alpha, A, row(lda()), col(lda()), B, row(ldb()), col(ldb()), beta,
                       reinterpret_cast<number*>(at[2]), row(ldc()), col(ldc()));
        });
  }
};

template <class R>
void check_complex_products() {
  using number = typename complex_blas<R>::number;
  const number zero{0, 0}, one{1, 0}, alpha{R(1.5), R(-0.25)}, beta{R(-0.5), R(2)};
  for (const bool by_rows : {false, true})
    for (const auto& p :
         std::initializer_list<complex_product<R>>{{1, 1, 1, 'N', 'N', by_rows, one, zero, 0, 0},
                                                   {37, 29, 41, 'C', 'T', by_rows, alpha, beta, 3, 400},
                                                   {37, 29, 41, 'N', 'C', by_rows, one, beta, 0, 400},
                                                   {130, 1, 300, 'T', 'N', by_rows, one, one, 1, 0},
                                                   {70, 90, 2600, 'N', 'C', by_rows, one, zero, 1, 4000},
                                                   {70, 90, 2600, 'C', 'N', by_rows, alpha, beta, 5, 4000},
                                                   {60, 50, 2049, 'T', 'C', by_rows, one, one, 0, 4000},
                                                   {60, 50, 3072, 'N', 'N', by_rows, alpha, zero, 2, 0},
                                                   {40, 30, 0, 'N', 'N', by_rows, one, beta, 2, 9},
                                                   {40, 30, 20, 'N', 'C', by_rows, zero, beta, 2, 9}})
      p.compare_in(all_mixes(3));
  if (places.size() == 1) return;
  for (const auto& p :
       std::initializer_list<complex_product<R>>{{8300, 600, 2100, 'N', 'C', false, one, zero, 1, 0},
                                                 {1100, 1300, 3100, 'C', 'N', true, alpha, beta, 0, 100000}})
    p.compare_in({{own, own, own}, {locked, locked, locked}, {device, own, locked}, {own, locked, device}});
}

template <class R>
void check_complex_updates() {
  using f = complex_blas<R>;
  using number = typename f::number;
  const auto in = [](const R* x) { return reinterpret_cast<const number*>(x); };
  const auto out = [](R* x) { return reinterpret_cast<number*>(x); };
  const int n = 70, k = 1100, ldc = n + 2;
  const number alpha{R(1.5), R(-0.25)}, beta{R(-0.5), R(2)};
  const std::vector<R> c = random<R>(std::size_t(2) * ldc * n, 23, 60);
  for (const bool by_rows : {false, true})
    for (const bool turned : {false, true}) {
      const auto rs = [&](int ld) { return by_rows ? ld : 1; };
      const auto cs = [&](int ld) { return by_rows ? 1 : ld; };
      const int ld = (by_rows == turned ? n : k) + 1, lines = by_rows == turned ? k : n;
      const std::vector<R> a = random<R>(std::size_t(2) * ld * lines, 21, 9000),
                           b = random<R>(std::size_t(2) * ld * lines, 22, 9000);
      const std::string how = std::string(by_rows ? " by rows" : " by columns") + (turned ? " turned" : "");
      const char op_a = turned ? 'C' : 'N', op_b = turned ? 'N' : 'C', op_s = turned ? 'T' : 'N';
      compare<R>(
          "gemmt" + how, {a, b, c}, all_mixes(3),
          [&](const std::vector<R*>& at, R*) {
            f::gemmt(layout_of(by_rows), CblasLower, number_of(op_a), number_of(op_b), n, k, &alpha, at[0], ld, at[1],
                     ld, &beta, at[2], ldc);
          },
          [&](const std::vector<R*>& at, R*) {
            f::host_gemmt(host(), 'L', op_a, op_b, n, k, alpha, in(at[0]), rs(ld), cs(ld), in(at[1]), rs(ld), cs(ld),
                          beta, out(at[2]), rs(ldc), cs(ldc));
          });
      compare<R>(
          "syrk" + how, {a, c}, all_mixes(2),
          [&](const std::vector<R*>& at, R*) {
            f::syrk(layout_of(by_rows), CblasUpper, number_of(op_s), n, k, &alpha, at[0], ld, &beta, at[1], ldc);
          },
          [&](const std::vector<R*>& at, R*) {
            f::host_syrk(host(), 'U', op_s, n, k, alpha, in(at[0]), rs(ld), cs(ld), beta, out(at[1]), rs(ldc), cs(ldc));
          });
      compare<R>(
          "herk" + how, {a, c}, all_mixes(2),
          [&](const std::vector<R*>& at, R*) {
            f::herk(layout_of(by_rows), CblasUpper, number_of(op_a), n, k, alpha.re, at[0], ld, beta.re, at[1], ldc);
          },
          [&](const std::vector<R*>& at, R*) {
            f::host_herk(host(), 'U', op_a, n, k, alpha.re, in(at[0]), rs(ld), cs(ld), beta.re, out(at[1]), rs(ldc),
                         cs(ldc));
          });
    }
}

/// Strided, and in one group, with what lies between items.
template <class R>
void check_complex_batches() {
  using f = complex_blas<R>;
  using number = typename f::number;
  const int m = 9, n = 7, k = 5, ld = 10, step = 95, items = 20;
  const CBLAS_TRANSPOSE op_a = CblasConjTrans, op_b = CblasTrans;
  const std::vector<R> a = random<R>(2 * step * items, 10, 60), b = random<R>(2 * step * items, 11, 60),
                       c = random<R>(2 * step * items, 12, 60);
  for (const bool by_rows : {false, true})
    for (const number alpha : {number{R(1.5), R(-0.25)}, number{0, 0}}) {  // with zero nothing of A and B is read
      const number beta{R(-0.5), R(2)};
      const auto of_host = [&](const std::vector<R*>& at, R*) {
        const int row = by_rows ? ld : 1, col = by_rows ? 1 : ld;
        const auto A = reinterpret_cast<const number*>(at[0]), B = reinterpret_cast<const number*>(at[1]);
        for (int i = 0; i < items; ++i)
          f::host_gemm(host(), 'C', 'T', m, n, k, alpha, A + i * step, row, col, B + i * step, row, col, beta,
                       reinterpret_cast<number*>(at[2]) + i * step, row, col);
      };
      const std::string how = by_rows ? " by rows" : " by columns";
      compare<R>(
          "gemm_batch_strided" + how, {a, b, c}, all_mixes(3),
          [&](const std::vector<R*>& at, R*) {
            f::gemm_batch_strided(layout_of(by_rows), op_a, op_b, m, n, k, &alpha, at[0], ld, step, at[1], ld, step,
                                  &beta, at[2], ld, step, items);
          },
          of_host);
      compare<R>(
          "gemm_batch" + how, {a, b, c}, all_mixes(3),
          [&](const std::vector<R*>& at, R*) {
            std::vector<const void*> a_at, b_at;
            std::vector<void*> c_at;
            for (int i = 0; i < items; ++i) {
              a_at.push_back(at[0] + 2 * i * step);
              b_at.push_back(at[1] + 2 * i * step);
              c_at.push_back(at[2] + 2 * i * step);
            }
            f::gemm_batch(layout_of(by_rows), &op_a, &op_b, &m, &n, &k, &alpha, a_at.data(), &ld, b_at.data(), &ld,
                          &beta, c_at.data(), &ld, 1, &items);
          },
          of_host);
    }
}

template <class R>
void check_complex_vectors() {
  using f = complex_blas<R>;
  using number = typename f::number;
  const auto in = [](const R* x) { return reinterpret_cast<const number*>(x); };
  const auto out = [](R* x) { return reinterpret_cast<number*>(x); };
  const number alpha{R(1.5), R(-0.25)}, beta{R(-0.5), R(2)}, one{1, 0};
  const auto vector_of = [](int n, int inc, std::uint64_t seed, unsigned special) {
    return random<R>(std::size_t(2) * n * std::max(1, std::abs(inc)), seed, special);
  };
  const int m = 130, n = 1100, lda = m + 3;
  const std::vector<R> a = random<R>(std::size_t(2) * lda * n, 4, 400);
  for (const bool by_rows : {false, true})  // lines of m elements, n of them
    for (const char op : {'N', 'T', 'C'})
      for (const int inc : {1, -2}) {
        const int rows = by_rows ? n : m, cols = by_rows ? m : n;
        const int terms = op == 'N' ? cols : rows, outputs = op == 'N' ? rows : cols, incy = 1 - 2 * inc;
        compare<R>(
            std::string("gemv ") + op + (by_rows ? " by rows " : " ") + std::to_string(inc),
            {a, vector_of(terms, inc, 5, 0), vector_of(outputs, incy, 6, 17)}, all_mixes(3),
            [&](const std::vector<R*>& at, R*) {
              f::gemv(layout_of(by_rows), number_of(op), rows, cols, &alpha, at[0], lda, at[1], inc, &beta, at[2],
                      incy);
            },
            [&](const std::vector<R*>& at, R*) {
              f::host_gemv(host(), op, rows, cols, alpha, in(at[0]), by_rows ? lda : 1, by_rows ? 1 : lda,
                           first(in(at[1]), terms, inc), inc, beta, first(out(at[2]), outputs, incy), incy);
            });
      }
  const int count = 5000;
  for (const unsigned special : {0u, 17u})
    for (const int incx : {1, -3, 0})
      for (const int incy : {1, -2}) {
        const std::vector<R> x = vector_of(count, incx, 7, special), y = vector_of(count, incy, 8, special);
        const auto X = [&](R* at) { return first(in(at), count, incx); };
        const auto Y = [&](R* at) { return first(out(at), count, incy); };
        const std::string how = " " + std::to_string(incx) + " " + std::to_string(incy);
        const auto of_two = [&](const char* name, const auto& call, const auto& of_host) {
          compare<R>(name + how, {x, y}, all_mixes(2), call, of_host);
        };
        of_two(
            "axpy", [&](const std::vector<R*>& at, R*) { f::axpy(count, &alpha, at[0], incx, at[1], incy); },
            [&](const std::vector<R*>& at, R*) {
              f::host_axpby(host(), count, alpha, X(at[0]), incx, one, Y(at[1]), incy);
            });
        of_two(
            "copy", [&](const std::vector<R*>& at, R*) { f::copy(count, at[0], incx, at[1], incy); },
            [&](const std::vector<R*>& at, R*) { f::host_copy(host(), count, X(at[0]), incx, Y(at[1]), incy); });
        of_two(
            "dotu", [&](const std::vector<R*>& at, R* r) { f::dotu(count, at[0], incx, at[1], incy, r); },
            [&](const std::vector<R*>& at, R* r) {
              f::host_dotu(host(), count, X(at[0]), incx, Y(at[1]), incy, out(r));
            });
        of_two(
            "dotc", [&](const std::vector<R*>& at, R* r) { f::dotc(count, at[0], incx, at[1], incy, r); },
            [&](const std::vector<R*>& at, R* r) {
              f::host_dotc(host(), count, X(at[0]), incx, Y(at[1]), incy, out(r));
            });
      }
  const int few = 300;  // calls of one term, with an increment of zero for y
  compare<R>(
      "axpy into one element", {vector_of(few, -2, 7, 0), vector_of(1, 1, 8, 0)}, all_mixes(2),
      [&](const std::vector<R*>& at, R*) { f::axpy(few, &alpha, at[0], -2, at[1], 0); },
      [&](const std::vector<R*>& at, R*) {
        const number* const from = first(in(at[0]), few, -2);
        for (int i = 0; i < few; ++i) f::host_axpby(host(), 1, alpha, from - 2 * i, 1, one, out(at[1]), 1);
      });
  const int inc = 2;
  for (const unsigned special : {0u, 17u}) {
    const std::vector<R> x = vector_of(count, inc, 9, special);
    const auto of_one = [&](const char* name, const auto& call, const auto& of_host) {
      compare<R>(name, {x}, all_mixes(1), call, of_host);
    };
    of_one(
        "nrm2", [&](const std::vector<R*>& at, R* r) { *r = f::nrm2(count, at[0], inc); },
        [&](const std::vector<R*>& at, R* r) { f::host_nrm2(host(), count, in(at[0]), inc, r); });
    of_one(
        "asum", [&](const std::vector<R*>& at, R* r) { *r = f::asum(count, at[0], inc); },
        [&](const std::vector<R*>& at, R* r) { f::host_asum(host(), count, in(at[0]), inc, r); });
    of_one(
        "iamax", [&](const std::vector<R*>& at, R* r) { *r = static_cast<R>(f::iamax(count, at[0], inc)); },
        [&](const std::vector<R*>& at, R* r) {
          std::int64_t index = 0;
          f::host_iamax(host(), count, in(at[0]), inc, &index);
          *r = static_cast<R>(index);
        });
    of_one(
        "scal", [&](const std::vector<R*>& at, R*) { f::scal(count, &alpha, at[0], inc); },
        [&](const std::vector<R*>& at, R*) { f::host_scal(host(), count, out(at[0]), inc, alpha, in(at[0]), inc); });
    of_one(
        "scal by a real factor", [&](const std::vector<R*>& at, R*) { f::scal_by_real(count, alpha.re, at[0], inc); },
        [&](const std::vector<R*>& at, R*) {
          f::host_scal_by_real(host(), count, out(at[0]), inc, alpha.re, in(at[0]), inc);
        });
    of_one(
        "scal by zero", [&](const std::vector<R*>& at, R*) { f::scal_by_real(count, R(-0.0), at[0], inc); },
        [&](const std::vector<R*>& at, R*) {
          for (int i = 0; i < count; ++i)
            for (R* const part : {at[0] + 2 * i * inc, at[0] + 2 * i * inc + 1}) {
              const R r = R(-0.0) * *part;
              *part = r != r ? std::numeric_limits<R>::quiet_NaN() : r;
            }
        });
  }
  const int rows = 70, cols = 90, ld = rows + 1;
  for (const CBLAS_TRANSPOSE op : {CblasNoTrans, CblasTrans, CblasConjTrans, CblasConjNoTrans}) {
    const bool turns = op == CblasTrans || op == CblasConjTrans;
    const bool conjugates = op == CblasConjTrans || op == CblasConjNoTrans;
    const int length = turns ? cols : rows, lines = turns ? rows : cols, ldb = length + 2;
    compare<R>(
        "omatcopy " + std::to_string(op),
        {random<R>(std::size_t(2) * ld * cols, 13, 0), random<R>(std::size_t(2) * ldb * lines, 14, 0)}, all_mixes(2),
        [&](const std::vector<R*>& at, R*) {
          f::omatcopy(CblasColMajor, op, rows, cols, &alpha, at[0], ld, at[1], ldb);
        },
        [&](const std::vector<R*>& at, R*) {
          const auto turn = conjugates ? f::host_conjugate_transpose : f::host_transpose;
          turn(host(), lines, length, in(at[0]), turns ? 1 : ld, turns ? ld : 1, out(at[1]), 1, ldb);
          for (int j = 0; j < lines; ++j) {
            number* const column = out(at[1]) + std::ptrdiff_t(j) * ldb;
            f::host_scal(host(), length, column, 1, alpha, column, 1);
          }
        });
  }
}

/// A stride that nothing uses may be any number, although lines of the device's memory are copied by strides.
void check_unused_strides() {
  constexpr std::int64_t far = std::int64_t(1) << 62, one = 1, terms = 3;
  const auto numbers = [](std::size_t count) { return random<double>(count, 15, 0); };
  const abax_complex_double unit{1, 0};
  const double factor = 1.5;
  compare<double>(
      "zgemv of one column", {numbers(6), numbers(2), numbers(6)}, all_mixes(3),
      [&](const std::vector<double*>& at, double*) {
        cblas_zgemv_64(CblasColMajor, CblasNoTrans, terms, one, &unit, at[0], far, at[1], far, &unit, at[2], one);
      },
      [&](const std::vector<double*>& at, double*) {
        const auto z = [&](int i) { return reinterpret_cast<abax_complex_double*>(at[i]); };
        abax_zgemv(host(), 'N', terms, one, unit, z(0), 1, terms, z(1), 1, unit, z(2), 1);
      });
  compare<double>(
      "dgemm of one column", {numbers(3), numbers(1), numbers(3)}, all_mixes(3),
      [&](const std::vector<double*>& at, double*) {
        cblas_dgemm_64(CblasColMajor, CblasNoTrans, CblasNoTrans, terms, one, one, factor, at[0], far, at[1], far,
                       factor, at[2], far);
      },
      [&](const std::vector<double*>& at, double*) {
        abax_dgemm(host(), 'N', 'N', terms, one, one, factor, at[0], 1, terms, at[1], 1, 1, factor, at[2], 1, terms);
      });
  compare<double>(
      "zdscal of one element by zero", {numbers(2)}, all_mixes(1),
      [&](const std::vector<double*>& at, double*) { cblas_zdscal_64(one, 0, at[0], far); },
      [&](const std::vector<double*>& at, double*) { at[0][0] *= 0, at[0][1] *= 0; });
}

/// Host threads at once, each with operands of its own kinds.
void check_threads() {
  const product<double> p{300, 200, 4200, false, true, 1.5, -0.5, 1, 0};
  const std::vector<double> want = p.wanted();
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t)
    threads.emplace_back([&, t] {
      const auto at = [&](int i) { return places[i % places.size()]; };
      for (int turn = 0; turn < 5; ++turn) check_product(p, want, at(t), at(t / 3), at(t + turn));
    });
  for (std::thread& thread : threads) thread.join();
}

#if PLACEMENT_CUDA
/// As much of the device's memory as there is in pieces of `least` bytes.
std::vector<void*> fill_device(std::size_t least) {
  std::vector<void*> taken;
  for (std::size_t step = std::size_t(8) << 30; step >= least; step /= 2)
    for (void* memory = nullptr; cudaMalloc(&memory, step) == cudaSuccess;) taken.push_back(memory);
  static_cast<void>(cudaGetLastError());
  return taken;
}

void check_memory() {
  const product<double> small{200, 200, 200, false, false, 1, 0, 0, 0},
      large{1900, 1700, 4500, false, true, 1, -1, 1, 0},
      few_tiles{1000, 1000, 4000, false, false, 1, 1, 0, 0};  // whose block sums would take memory of their own
  check_product(small, small.wanted(), own, own, own);        // streams and kernels are there
  const complex_product<double> complex{1300, 1200, 2500, 'C', 'N', true, {1, 0.5}, {-1, 2}, 1, 0};
  const std::vector<double> want = large.wanted(), wanted_few = few_tiles.wanted();
  for (const std::size_t spare : {150, 70, 0}) {  // MB: two pieces, more of them, and nothing but the host
    void* memory = nullptr;
    if (spare > 0 && cudaMalloc(&memory, spare << 20) != cudaSuccess) std::abort();
    const std::vector<void*> taken = fill_device(std::size_t(1) << 20);
    cudaFree(memory);
    check_product(large, want, own, own, own);
    check_product(few_tiles, wanted_few, own, own, own);
    complex.compare_in({{own, own, own}});
    for (void* each : taken) cudaFree(each);
  }
}

/// A staged product's operands are on the device, and the library keeps the place.
void check_staging() {
  const product<double> small{200, 200, 200, false, false, 1, 0, 0, 0},
      large{2900, 2700, 3000, false, true, 1, 0, 0, 0};
  check_product(small, small.wanted(), own, own, own);
  std::size_t before = 0, after = 0, all = 0;
  cudaMemGetInfo(&before, &all);
  check_product(large, large.wanted(), own, own, own);
  cudaMemGetInfo(&after, &all);
  if (before >= after + (std::size_t(150) << 20)) return;
  std::printf("a staged product took %zd bytes of the device's memory\n", before - after);
  ++wrong;
}

/// abax.h on a native stream: what has been put on it before comes first, what comes later waits.
void check_queue() {
  const product<double> p{300, 200, 4200, false, true, 1.5, -0.5, 0, 0};
  const std::vector<double> want = p.wanted();
  cudaStream_t queue = nullptr;
  abax_stream* stream = nullptr;
  if (cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking) != cudaSuccess) std::abort();
  if (abax_open(ABAX_DEVICE, queue, 0, &stream) != ABAX_SUCCESS) std::abort();
  const operand<double> a(locked, p.a()), b(device, p.b()), c(device, p.c()), result(locked, p.c());
  const operand<double> A(device, std::vector<double>(p.a().size()));
  std::atomic<bool> go = false;
  const auto run = [&] {
    cudaMemcpyAsync(A.data(), a.data(), sizeof(double) * p.a().size(), cudaMemcpyDefault, queue);
    const abax_status status = abax_dgemm(stream, 'N', 'T', p.m, p.n, p.k, p.alpha, A.data(), 1, p.lda(), b.data(), 1,
                                          p.ldb(), p.beta, c.data(), 1, p.ldc());
    cudaMemcpyAsync(result.data(), c.data(), sizeof(double) * want.size(), cudaMemcpyDefault, queue);
    return status;
  };
  run();  // kernels are loaded
  cudaStreamSynchronize(queue);
  const std::vector<double> nan = all_nan<double>(p.a().size()), again = p.c();
  cudaMemcpy(A.data(), nan.data(), sizeof(double) * nan.size(), cudaMemcpyDefault);
  cudaMemcpy(c.data(), again.data(), sizeof(double) * again.size(), cudaMemcpyDefault);
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
  };
  cudaLaunchHostFunc(queue, wait, &go);
  const abax_status status = run();
  const bool waits = cudaStreamQuery(queue) == cudaErrorNotReady;
  go = true;
  cudaStreamSynchronize(queue);
  check("gemm on a native stream", result.values(), want);
  if (status != ABAX_SUCCESS || !waits) {
    std::printf("a native stream: status %d, waits %d\n", status, waits);
    ++wrong;
  }
  abax_close(stream);
  cudaStreamDestroy(queue);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const bool memory = argc > 1 && std::string(argv[1]) == "memory";
  const char* const backend = std::getenv("ABAX_BLAS_BACKEND");
  const bool on_host = backend != nullptr && std::string(backend) == "host";
  if (PLACEMENT_CUDA && !on_host && !gpu_is_visible()) {
    std::puts("skipped: no GPU is visible");
    return 77;
  }
#if PLACEMENT_CUDA
  if (!on_host) places = {own, locked, device};
  if (memory) check_memory();
  if (!memory && !on_host) check_queue();
  if (!memory && backend != nullptr && std::string(backend) == "device") check_staging();
#endif
  if (!memory) {
    check_products<double>();
    check_products<float>();
    check_vectors<double>();
    check_vectors<float>();
    check_batches<double>();
    check_batches<float>();
    check_complex_products<double>();
    check_complex_products<float>();
    check_complex_updates<double>();
    check_complex_updates<float>();
    check_complex_batches<double>();
    check_complex_batches<float>();
    check_complex_vectors<double>();
    check_complex_vectors<float>();
    check_unused_strides();
    check_threads();
  }
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
