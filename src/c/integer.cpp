// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C interface: products by way of integers, what is prepared for them, and products of bytes.
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "abax/detail/backends/openmp/memory.hpp"
#include "calls.hpp"
#include "own_complex.hpp"

namespace abax::c {
namespace {

template <class T>
struct prepared {
  tile::matrix<const T> elements;  ///< of op(X)
  launch::prepared_lines<T> lines;
};

using host_memory = openmp::buffer;  // which needs no Kokkos that runs

/// Bytes of the device's memory. Kokkos copies a header to the device before a View's elements, and keeps the memory
/// where that copy is refused.
class device_memory {
 public:
  device_memory() = default;
  device_memory(const device_memory&) = delete;
  ~device_memory() {
    if (data_ != nullptr) space().deallocate(label, data_, bytes_);
  }
  /// Throws where there are not so many. Called once.
  void* grow(const device& exec, std::size_t bytes) {
    data_ = space().allocate(exec, label, bytes);
    bytes_ = bytes;
    return data_;
  }

 private:
  using space = device::memory_space;
  static constexpr const char* label = "abax::integer_operand";
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T>
constexpr const char* numbers_of(const prepared<T>* = nullptr) {
  if (tile::is_complex<T>) return sizeof(T) == 8 ? "complex float" : "complex double";
  return sizeof(T) == 4 ? "float" : "double";
}

template <class Exec>
inline constexpr abax_place place_of = std::is_same_v<Exec, host> ? ABAX_HOST : ABAX_DEVICE;

}  // namespace
}  // namespace abax::c

struct abax_integer_operand {
  abax_place place;
  std::variant<abax::c::host_memory, abax::c::device_memory> memory;
  std::variant<abax::c::prepared<float>, abax::c::prepared<double>, abax::c::prepared<abax::tile::complex<float>>,
               abax::c::prepared<abax::tile::complex<double>>>
      made;
};

namespace abax::c {
namespace {

/// So many bytes for `operand`, in the memory of `exec`.
template <class Exec>
void* take(const char* function, const Exec& exec, abax_integer_operand& operand, std::size_t bytes) {
  try {
    if constexpr (place_of<Exec> == ABAX_HOST) {
      static_cast<void>(exec);
      return operand.memory.template emplace<host_memory>().grow(bytes);
    } else {
      return operand.memory.template emplace<device_memory>().grow(exec, bytes);
    }
  } catch (const std::exception&) {
    throw resource_error(std::string(function) + ": no memory for " + std::to_string(bytes) + " bytes");
  }
}

integer_options options_with(int bits) {
  integer_options options;
  options.bits = bits;
  return options;
}

template <class T>
abax_status integer_operand(const char* routine, abax_stream* stream, char side, char trans, index_t m, index_t n,
                            const T* x, index_t rs_x, index_t cs_x, int bits, abax_integer_operand** operand) {
  if (operand != nullptr) *operand = nullptr;
  const auto call = [&]<class Exec>(const Exec& exec, sharing) {
    constexpr const char* function = "abax::integer_operand";
    if (operand == nullptr) throw invalid_argument(std::string(function) + ": operand is a null pointer");
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const char side_of[] = {side, '\0'};
    const operation op(function, "trans", trans);
    const auto X = matrix_of(function, "X", x, m, n, rs_x, cs_x);
    auto made = std::make_unique<abax_integer_operand>();
    made->place = place_of<Exec>;
    const auto lines =
        launch::gemm_integer<Exec, T>::prepare(exec, side_of, op.letter, X, options_with(bits),
                                               [&](std::size_t bytes) { return take(function, exec, *made, bytes); });
    made->made = prepared<T>{op.turns ? X.transposed() : X, lines};
    *operand = made.release();
  };
  return run(routine, stream, call, "side,trans,m,n,rsX,csX,bits", side, trans, m, n, rs_x, cs_x, bits);
}

/// An operand of a product: its elements, or what is prepared of them.
template <class T>
struct factor {
  const T* data;
  index_t row_stride, col_stride;
  const abax_integer_operand* made;

  /// null: not prepared. Throws where it is, but not for such a product.
  const prepared<T>* prepared_for(const char* function, const char* name, abax_place place) const {
    if (made == nullptr) return nullptr;
    const std::string operand = std::string(function) + ": " + name + " was prepared ";
    const auto* const found = std::get_if<prepared<T>>(&made->made);
    if (found == nullptr) {
      const auto* const of = std::visit([](const auto& any) { return numbers_of(&any); }, made->made);
      throw invalid_argument(operand + "of " + of + " numbers, but " + numbers_of<T>() + " ones were expected");
    }
    if (made->place != place)
      throw invalid_argument(operand +
                             (place == ABAX_HOST ? "on the device, but the host" : "on the host, but the device") +
                             " was expected");
    return found;
  }
  /// The operand, of which op is rows x cols.
  tile::matrix<const T> matrix(const char* function, const char* name, const prepared<T>* found, const char* op_name,
                               const operation& op, const char* rows_name, index_t rows, const char* cols_name,
                               index_t cols, use needed) const {
    if (found == nullptr)
      return matrix_of(function, name, data, op.turns ? cols : rows, op.turns ? rows : cols, row_stride, col_stride,
                       needed);
    const std::string op_of = std::string("op(") + name + ")";
    if (op.turns)
      throw invalid_argument(std::string(function) + ": " + name + " was prepared from " + op_of + ", and " + op_name +
                             " is '" + op.letter[0] + "', but \"N\" was expected");
    launch::require_equal(function, ("extent 0 of " + op_of).c_str(), found->elements.rows, rows_name, rows);
    launch::require_equal(function, ("extent 1 of " + op_of).c_str(), found->elements.cols, cols_name, cols);
    return found->elements;
  }
};

template <class T, class... Told>
abax_status gemm_integer(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t m, index_t n,
                         index_t k, T alpha, const factor<T>& a, const factor<T>& b, T beta, T* c, index_t rs_c,
                         index_t cs_c, int bits, index_t workspace, unsigned flags, const char* names,
                         const Told&... told) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemm_integer";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = m != 0 && n != 0 && k != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const operation op_a(function, "transA", trans_a);
    const operation op_b(function, "transB", trans_b);
    const auto* const left = a.prepared_for(function, "A", place_of<Exec>);
    const auto* const right = b.prepared_for(function, "B", place_of<Exec>);
    const auto A = a.matrix(function, "A", left, "transA", op_a, "m", m, "k", k, inputs);
    const auto B = b.matrix(function, "B", right, "transB", op_b, "k", k, "n", n, inputs);
    const auto C = matrix_of(function, "C", c, m, n, rs_c, cs_c);
    require_countable(function, m, n, inputs == use::none ? 0 : k);
    if (workspace < 0)
      throw invalid_argument(std::string(function) + ": workspace is " + std::to_string(workspace) +
                             ", expected 0 or more");
    if ((flags & ~unsigned(ABAX_VERIFY_PRODUCTS)) != 0)
      throw invalid_argument(std::string(function) + ": options is " + std::to_string(flags) +
                             ", expected 0 or ABAX_VERIFY_PRODUCTS");
    integer_options options = options_with(bits);
    options.workspace = static_cast<std::size_t>(workspace);
    options.verify = (flags & ABAX_VERIFY_PRODUCTS) != 0;
    launch::gemm_integer<Exec, T>::run(
        exec, op_a.letter, op_b.letter, alpha, A, B, beta, C, options,
        {left == nullptr ? nullptr : &left->lines, right == nullptr ? nullptr : &right->lines}, memory);
  };
  return run(routine, stream, call, names, told...);
}

template <class T>
abax_status gemm_integer(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t m, index_t n,
                         index_t k, T alpha, const T* a, index_t rs_a, index_t cs_a, const T* b, index_t rs_b,
                         index_t cs_b, T beta, T* c, index_t rs_c, index_t cs_c, int bits) {
  return gemm_integer<T>(routine, stream, trans_a, trans_b, m, n, k, alpha, {a, rs_a, cs_a, nullptr},
                         {b, rs_b, cs_b, nullptr}, beta, c, rs_c, cs_c, bits, 0, 0,
                         "transA,transB,m,n,k,alpha,rsA,csA,rsB,csB,beta,rsC,csC,bits", trans_a, trans_b, m, n, k,
                         alpha, rs_a, cs_a, rs_b, cs_b, beta, rs_c, cs_c, bits);
}
template <class T>
abax_status gemm_integer_with(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t m,
                              index_t n, index_t k, T alpha, const factor<T>& a, const factor<T>& b, T beta, T* c,
                              index_t rs_c, index_t cs_c, int bits, index_t workspace, unsigned flags) {
  return gemm_integer<T>(routine, stream, trans_a, trans_b, m, n, k, alpha, a, b, beta, c, rs_c, cs_c, bits, workspace,
                         flags,
                         "transA,transB,m,n,k,alpha,rsA,csA,leftA,rsB,csB,rightB,beta,rsC,csC,bits,workspace,options",
                         trans_a, trans_b, m, n, k, alpha, a.row_stride, a.col_stride, int(a.made != nullptr),
                         b.row_stride, b.col_stride, int(b.made != nullptr), beta, rs_c, cs_c, bits, workspace, flags);
}

template <class T>
abax_status gemm_integer_lost(const char* routine, abax_stream* stream, char side, char trans, index_t m, index_t n,
                              const T* x, index_t rs_x, index_t cs_x, int bits, std::int64_t* lost) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing) {
    constexpr const char* function = "abax::gemm_integer_lost";
    if (lost == nullptr) throw invalid_argument(std::string(function) + ": lost is a null pointer");
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const char side_of[] = {side, '\0'};
    const operation op(function, "trans", trans);
    const auto X = matrix_of(function, "X", x, m, n, rs_x, cs_x);
    *lost = launch::gemm_integer<Exec, T>::lost(exec, side_of, op.letter, X, options_with(bits));
  };
  return run(routine, stream, call, "side,trans,m,n,rsX,csX,bits", side, trans, m, n, rs_x, cs_x, bits);
}

}  // namespace
}  // namespace abax::c

using namespace abax::c;

extern "C" {

abax_status abax_gemm_int8(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                           int32_t alpha, const int8_t* A, int64_t rsA, int64_t csA, const int8_t* B, int64_t rsB,
                           int64_t csB, int32_t beta, int32_t* C, int64_t rsC, int64_t csC) {
  const auto multiply = [=]<class Exec>(const Exec& exec, const char* op_a, const char* op_b, const auto& a,
                                        const auto& b, const auto& c, sharing memory) {
    abax::launch::gemm_bytes<Exec>::run(exec, op_a, op_b, alpha, a, b, beta, c, memory);
  };
  return run(
      __func__, stream,
      product_call("abax::gemm", transA, transB, m, n, k, alpha != 0, A, rsA, csA, B, rsB, csB, C, rsC, csC, multiply),
      "transA,transB,m,n,k,alpha,rsA,csA,rsB,csB,beta,rsC,csC", transA, transB, m, n, k, alpha, rsA, csA, rsB, csB,
      beta, rsC, csC);
}

abax_status abax_sgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               float alpha, const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB,
                               int64_t csB, float beta, float* C, int64_t rsC, int64_t csC, int bits) {
  return gemm_integer(__func__, stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC,
                      bits);
}

abax_status abax_dgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               double alpha, const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB,
                               int64_t csB, double beta, double* C, int64_t rsC, int64_t csC, int bits) {
  return gemm_integer(__func__, stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC,
                      bits);
}

abax_status abax_sinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const float* X,
                                  int64_t rsX, int64_t csX, int bits, abax_integer_operand** operand) {
  return integer_operand(__func__, stream, side, trans, m, n, X, rsX, csX, bits, operand);
}

abax_status abax_dinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const double* X,
                                  int64_t rsX, int64_t csX, int bits, abax_integer_operand** operand) {
  return integer_operand(__func__, stream, side, trans, m, n, X, rsX, csX, bits, operand);
}

void abax_free_integer_operand(abax_integer_operand* operand) {
  // Where Kokkos no longer runs, the device's memory is gone already.
  if (operand == nullptr || (operand->place == ABAX_DEVICE && !device_runs())) return;
  delete operand;
}

abax_status abax_sgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    float alpha, const float* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const float* B, int64_t rsB, int64_t csB,
                                    const abax_integer_operand* rightB, float beta, float* C, int64_t rsC, int64_t csC,
                                    int bits, int64_t workspace, unsigned options) {
  return gemm_integer_with<float>(__func__, stream, transA, transB, m, n, k, alpha, {A, rsA, csA, leftA},
                                  {B, rsB, csB, rightB}, beta, C, rsC, csC, bits, workspace, options);
}

abax_status abax_dgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    double alpha, const double* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const double* B, int64_t rsB, int64_t csB,
                                    const abax_integer_operand* rightB, double beta, double* C, int64_t rsC,
                                    int64_t csC, int bits, int64_t workspace, unsigned options) {
  return gemm_integer_with<double>(__func__, stream, transA, transB, m, n, k, alpha, {A, rsA, csA, leftA},
                                   {B, rsB, csB, rightB}, beta, C, rsC, csC, bits, workspace, options);
}

abax_status abax_sgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const float* X,
                                    int64_t rsX, int64_t csX, int bits, int64_t* lost) {
  return gemm_integer_lost(__func__, stream, side, trans, m, n, X, rsX, csX, bits, lost);
}

abax_status abax_dgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n, const double* X,
                                    int64_t rsX, int64_t csX, int bits, int64_t* lost) {
  return gemm_integer_lost(__func__, stream, side, trans, m, n, X, rsX, csX, bits, lost);
}

abax_status abax_cgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                               const abax_complex_float* B, int64_t rsB, int64_t csB, abax_complex_float beta,
                               abax_complex_float* C, int64_t rsC, int64_t csC, int bits) {
  return gemm_integer(__func__, stream, transA, transB, m, n, k, own(alpha), own(A), rsA, csA, own(B), rsB, csB,
                      own(beta), own(C), rsC, csC, bits);
}

abax_status abax_zgemm_integer(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                               abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                               const abax_complex_double* B, int64_t rsB, int64_t csB, abax_complex_double beta,
                               abax_complex_double* C, int64_t rsC, int64_t csC, int bits) {
  return gemm_integer(__func__, stream, transA, transB, m, n, k, own(alpha), own(A), rsA, csA, own(B), rsB, csB,
                      own(beta), own(C), rsC, csC, bits);
}

abax_status abax_cinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                  const abax_complex_float* X, int64_t rsX, int64_t csX, int bits,
                                  abax_integer_operand** operand) {
  return integer_operand(__func__, stream, side, trans, m, n, own(X), rsX, csX, bits, operand);
}

abax_status abax_zinteger_operand(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                  const abax_complex_double* X, int64_t rsX, int64_t csX, int bits,
                                  abax_integer_operand** operand) {
  return integer_operand(__func__, stream, side, trans, m, n, own(X), rsX, csX, bits, operand);
}

abax_status abax_cgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    abax_complex_float alpha, const abax_complex_float* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const abax_complex_float* B, int64_t rsB,
                                    int64_t csB, const abax_integer_operand* rightB, abax_complex_float beta,
                                    abax_complex_float* C, int64_t rsC, int64_t csC, int bits, int64_t workspace,
                                    unsigned options) {
  return gemm_integer_with<abax::tile::complex<float>>(__func__, stream, transA, transB, m, n, k, own(alpha),
                                                       {own(A), rsA, csA, leftA}, {own(B), rsB, csB, rightB}, own(beta),
                                                       own(C), rsC, csC, bits, workspace, options);
}

abax_status abax_zgemm_integer_with(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k,
                                    abax_complex_double alpha, const abax_complex_double* A, int64_t rsA, int64_t csA,
                                    const abax_integer_operand* leftA, const abax_complex_double* B, int64_t rsB,
                                    int64_t csB, const abax_integer_operand* rightB, abax_complex_double beta,
                                    abax_complex_double* C, int64_t rsC, int64_t csC, int bits, int64_t workspace,
                                    unsigned options) {
  return gemm_integer_with<abax::tile::complex<double>>(__func__, stream, transA, transB, m, n, k, own(alpha),
                                                        {own(A), rsA, csA, leftA}, {own(B), rsB, csB, rightB},
                                                        own(beta), own(C), rsC, csC, bits, workspace, options);
}

abax_status abax_cgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                    const abax_complex_float* X, int64_t rsX, int64_t csX, int bits, int64_t* lost) {
  return gemm_integer_lost(__func__, stream, side, trans, m, n, own(X), rsX, csX, bits, lost);
}

abax_status abax_zgemm_integer_lost(abax_stream* stream, char side, char trans, int64_t m, int64_t n,
                                    const abax_complex_double* X, int64_t rsX, int64_t csX, int bits, int64_t* lost) {
  return gemm_integer_lost(__func__, stream, side, trans, m, n, own(X), rsX, csX, bits, lost);
}

}  // extern "C"
