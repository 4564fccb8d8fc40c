// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What abax.h's functions do, for any type of number: pointers and strides become operands, exceptions become
/// statuses.
#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "abax/abax.h"
#include "abax/detail/tile/scalar.hpp"
#include "abax/dot.hpp"
#include "abax/error.hpp"
#include "abax/reductions.hpp"
#include "abax/templates.hpp"
#include "addresses.hpp"
#include "batches.hpp"
#include "start.hpp"
#include "stream.hpp"
#include "verbose.hpp"

namespace abax::c {

using launch::sharing;

inline abax_status failed(abax_stream* stream, abax_status status, const char* message) noexcept {
  if (told_call* const here = call_being_told()) here->failure = abax_status_text(status);
  if (stream == nullptr) return status;
  stream->message.clear();
  try {
    stream->message = message;
  } catch (...) {  // no memory for it: the status has to do
  }
  return status;
}

/// Whether what runs computes on `place`. A small product waits for the answer.
inline bool serves(const space& place) noexcept {
  if (std::holds_alternative<host>(place)) return host_runs();
  return device_runs();
}

/// To whoever is told. Throws where what the variable says is unknown.
inline void tell_place(const space& place) {
  if (const std::string fault = verbosity_fault(); !fault.empty()) throw std::runtime_error("abax: " + fault);
  if (told_call* const here = call_being_told()) here->on_device = !std::holds_alternative<host>(place);
}

/// call(exec, sharing) on the stream's space.
template <class Call>
abax_status run(abax_stream* stream, const Call& call) noexcept {
  if (stream == nullptr) return failed(stream, ABAX_INVALID_ARGUMENT, "");
  if (!serves(stream->space)) return failed(stream, ABAX_UNAVAILABLE, "abax: Kokkos has been finalized");
  try {
    if (!is_silent()) tell_place(stream->space);
    std::visit([&](const auto& exec) { call(exec, stream->memory); }, stream->space);
    return ABAX_SUCCESS;
  } catch (const invalid_argument& error) {
    return failed(stream, ABAX_INVALID_ARGUMENT, error.what());
  } catch (const resource_error& error) {
    return failed(stream, ABAX_OUT_OF_RESOURCES, error.what());
  } catch (const std::bad_alloc&) {
    return failed(stream, ABAX_OUT_OF_RESOURCES, "abax: no memory");
  } catch (const std::system_error& error) {  // no threads
    return failed(stream, ABAX_OUT_OF_RESOURCES, error.what());
  } catch (const std::exception& error) {
    return failed(stream, ABAX_FAILED, error.what());
  } catch (...) {
    return failed(stream, ABAX_FAILED, "abax: an unknown exception");
  }
}

/// The same, told as `routine` with the arguments `values`, which `names` names.
template <class Call, class... Values>
abax_status run(const char* routine, abax_stream* stream, const Call& call, const char* names,
                const Values&... values) noexcept {
  const auto describe = [&](line& text) { text.add_arguments(names, values...); };
  return told(routine, timing::of_launch, describe, [&] { return run(stream, call); });
}

[[noreturn]] inline void fail_extent(const char* function, const char* name, index_t extent) {
  throw invalid_argument(std::string(function) + ": " + name + " is " + std::to_string(extent) +
                         (extent < 0 ? ", expected 0 or more" : ", expected less than 2^60"));
}
inline void require_extent(const char* function, const char* name, index_t extent) {
  if (extent < 0 || extent >= too_many) fail_extent(function, name, extent);
}

/// Throws where a product has more terms than 64 bits count, or its sums more than the canon's blocks are counted.
[[gnu::noinline]] inline void require_countable_large(const char* function, index_t rows, index_t cols, index_t terms) {
  index_t outputs, all;
  if (tile::canon_blocks(terms) > std::numeric_limits<int>::max() || __builtin_mul_overflow(rows, cols, &outputs) ||
      __builtin_mul_overflow(outputs, terms, &all))
    throw resource_error(std::string(function) + ": " + std::to_string(terms) + " terms for each of " +
                         std::to_string(rows) + " x " + std::to_string(cols) +
                         " elements are more than can be counted");
}
inline void require_countable(const char* function, index_t rows, index_t cols, index_t terms) {
  if ((rows | cols | terms) >> 21 != 0) require_countable_large(function, rows, cols, terms);
}

/// Whether a call reads or writes an operand. One that it does not may be null.
enum class use { none, any };

[[noreturn]] inline void fail_operand(const char* function, const char* name, const void* data,
                                      const std::string& shape) {
  const std::string operand = std::string(function) + ": " + name;
  if (data == nullptr) throw invalid_argument(operand + " is a null pointer");
  throw invalid_argument(operand + " (" + shape +
                         ") does not fit the address space, expected less than 2^60 bytes from its first element to "
                         "its last");
}
[[noreturn]] inline void fail_matrix(const char* function, const char* name, const void* data, index_t rows,
                                     index_t cols, index_t row_stride, index_t col_stride) {
  fail_operand(function, name, data,
               std::to_string(rows) + " x " + std::to_string(cols) + ", strides " + std::to_string(row_stride) +
                   " and " + std::to_string(col_stride));
}
[[noreturn]] inline void fail_vector(const char* function, const char* name, const void* data, index_t size,
                                     index_t stride) {
  fail_operand(function, name, data, std::to_string(size) + " elements, stride " + std::to_string(stride));
}

/// A stride between `extent` elements. One that nothing uses may be any number: here it becomes one that may be added
/// and multiplied like others.
inline index_t stride_of(index_t extent, index_t stride) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  return extent > 1 ? stride : std::clamp(stride, -most, most);
}
template <class T>
[[gnu::always_inline]] inline tile::matrix<T> matrix_of(const char* function, const char* name, T* data, index_t rows,
                                                        index_t cols, index_t row_stride, index_t col_stride,
                                                        use needed = use::any) {
  if (rows == 0 || cols == 0 || (data == nullptr && needed == use::none)) return {data, rows, cols, 0, 0};
  if (data == nullptr || !has_addresses(data, rows, cols, row_stride, col_stride))
    fail_matrix(function, name, data, rows, cols, row_stride, col_stride);
  return {data, rows, cols, stride_of(rows, row_stride), stride_of(cols, col_stride)};
}
template <class T>
[[gnu::always_inline]] inline tile::vector<T> vector_of(const char* function, const char* name, T* data, index_t size,
                                                        index_t stride, use needed = use::any) {
  if (size == 0 || (data == nullptr && needed == use::none)) return {data, size, 0};
  if (data == nullptr || !has_addresses(data, size, 1, stride, 0)) fail_vector(function, name, data, size, stride);
  return {data, size, stride_of(size, stride)};
}

/// Items of one shape, `item_stride` elements from the beginning of one to that of the next.
template <class T>
tile::matrices<T> matrices_of(const char* function, const char* name, T* data, index_t items, index_t item_stride,
                              index_t rows, index_t cols, index_t row_stride, index_t col_stride,
                              use needed = use::any) {
  if (items == 0) return {{data, rows, cols, 1, rows}, 0, 0};  // no element twice
  const tile::matrix<T> first = matrix_of(function, name, data, rows, cols, row_stride, col_stride, needed);
  if (rows == 0 || cols == 0 || data == nullptr) return {first, items, 0};
  const index_t step = stride_of(items, item_stride);
  const auto last = [&] {
    return reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(data) + (items - 1) * step * index_t(sizeof(T)));
  };
  if (!has_addresses(data, items, 1, step, 0) || !has_addresses(last(), rows, cols, row_stride, col_stride))
    fail_operand(function, name, data,
                 std::to_string(items) + " items of " + std::to_string(rows) + " x " + std::to_string(cols) +
                     ", strides " + std::to_string(item_stride) + ", " + std::to_string(row_stride) + " and " +
                     std::to_string(col_stride));
  return {first, items, step};
}

/// op(X) as launches take it.
struct operation {
  operation(const char* function, const char* argument, char trans)
      : letter{launch::transposition(function, argument, &trans), '\0'}, turns(letter[0] != 'N') {}
  char letter[2];
  bool turns;
};

/// A product of any types: multiply(exec, op_a, op_b, A, B, C, memory). `adds`: alpha is not 0.
template <class In, class Out, class Multiply>
auto product_call(const char* function, char trans_a, char trans_b, index_t m, index_t n, index_t k, bool adds,
                  const In* a, index_t rs_a, index_t cs_a, const In* b, index_t rs_b, index_t cs_b, Out* c,
                  index_t rs_c, index_t cs_c, const Multiply& multiply) {
  return [=]<class Exec>(const Exec& exec, sharing memory) {
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = m != 0 && n != 0 && k != 0 && adds ? use::any : use::none;
    const operation op_a(function, "transA", trans_a);
    const operation op_b(function, "transB", trans_b);
    const auto A = matrix_of(function, "A", a, op_a.turns ? k : m, op_a.turns ? m : k, rs_a, cs_a, inputs);
    const auto B = matrix_of(function, "B", b, op_b.turns ? n : k, op_b.turns ? k : n, rs_b, cs_b, inputs);
    const auto C = matrix_of(function, "C", c, m, n, rs_c, cs_c);
    require_countable(function, m, n, inputs == use::none ? 0 : k);
    multiply(exec, op_a.letter, op_b.letter, A, B, C, memory);
  };
}

template <class T>
abax_status gemm(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t m, index_t n, index_t k,
                 T alpha, const T* a, index_t rs_a, index_t cs_a, const T* b, index_t rs_b, index_t cs_b, T beta, T* c,
                 index_t rs_c, index_t cs_c) {
  const auto multiply = [=]<class Exec>(const Exec& exec, const char* op_a, const char* op_b, const auto& A,
                                        const auto& B, const auto& C, sharing memory) {
    launch::gemm<Exec, T>::run(exec, op_a, op_b, alpha, A, B, beta, C, memory);
  };
  return run(routine, stream,
             product_call("abax::gemm", trans_a, trans_b, m, n, k, !tile::is_zero(alpha), a, rs_a, cs_a, b, rs_b, cs_b,
                          c, rs_c, cs_c, multiply),
             "transA,transB,m,n,k,alpha,rsA,csA,rsB,csB,beta,rsC,csC", trans_a, trans_b, m, n, k, alpha, rs_a, cs_a,
             rs_b, cs_b, beta, rs_c, cs_c);
}

template <class T>
abax_status gemmt(const char* routine, abax_stream* stream, char uplo, char trans_a, char trans_b, index_t n, index_t k,
                  T alpha, const T* a, index_t rs_a, index_t cs_a, const T* b, index_t rs_b, index_t cs_b, T beta, T* c,
                  index_t rs_c, index_t cs_c) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemmt";
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = n != 0 && k != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const char part[] = {launch::triangle(function, "uplo", &uplo), '\0'};
    const operation op_a(function, "transA", trans_a);
    const operation op_b(function, "transB", trans_b);
    const auto A = matrix_of(function, "A", a, op_a.turns ? k : n, op_a.turns ? n : k, rs_a, cs_a, inputs);
    const auto B = matrix_of(function, "B", b, op_b.turns ? n : k, op_b.turns ? k : n, rs_b, cs_b, inputs);
    const auto C = matrix_of(function, "C", c, n, n, rs_c, cs_c);
    require_countable(function, n, n, inputs == use::none ? 0 : k);
    launch::gemm<Exec, T>::run_triangle(exec, part, op_a.letter, op_b.letter, alpha, A, B, beta, C, memory);
  };
  return run(routine, stream, call, "uplo,transA,transB,n,k,alpha,rsA,csA,rsB,csB,beta,rsC,csC", uplo, trans_a, trans_b,
             n, k, alpha, rs_a, cs_a, rs_b, cs_b, beta, rs_c, cs_c);
}

/// C <- alpha op(A) op(A)^T + beta C, or op(A)^H, as its operands.
template <class T>
struct rank_k_operands {
  rank_k_operands(const char* function, char uplo, char trans, index_t n, index_t k, bool adds, const T* a,
                  index_t rs_a, index_t cs_a, T* c, index_t rs_c, index_t cs_c)
      : part{launch::triangle(function, "uplo", &uplo), '\0'}, op(function, "trans", trans) {
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = n != 0 && k != 0 && adds ? use::any : use::none;
    A = matrix_of(function, "A", a, op.turns ? k : n, op.turns ? n : k, rs_a, cs_a, inputs);
    C = matrix_of(function, "C", c, n, n, rs_c, cs_c);
    require_countable(function, n, n, inputs == use::none ? 0 : k);
  }
  char part[2];
  operation op;
  tile::matrix<const T> A;
  tile::matrix<T> C;
};

template <class T>
abax_status syrk(const char* routine, abax_stream* stream, char uplo, char trans, index_t n, index_t k, T alpha,
                 const T* a, index_t rs_a, index_t cs_a, T beta, T* c, index_t rs_c, index_t cs_c) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::syrk";
    const rank_k_operands operands(function, uplo, trans, n, k, !tile::is_zero(alpha), a, rs_a, cs_a, c, rs_c, cs_c);
    launch::gemm<Exec, T>::run_rank_k(exec, operands.part, operands.op.letter, alpha, operands.A, beta, operands.C,
                                      memory);
  };
  return run(routine, stream, call, "uplo,trans,n,k,alpha,rsA,csA,beta,rsC,csC", uplo, trans, n, k, alpha, rs_a, cs_a,
             beta, rs_c, cs_c);
}

template <class Real>
abax_status herk(const char* routine, abax_stream* stream, char uplo, char trans, index_t n, index_t k, Real alpha,
                 const tile::complex<Real>* a, index_t rs_a, index_t cs_a, Real beta, tile::complex<Real>* c,
                 index_t rs_c, index_t cs_c) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::herk";
    const rank_k_operands operands(function, uplo, trans, n, k, !tile::is_zero(alpha), a, rs_a, cs_a, c, rs_c, cs_c);
    launch::gemm<Exec, tile::complex<Real>>::run_hermitian_rank_k(exec, operands.part, operands.op.letter, alpha,
                                                                  operands.A, beta, operands.C, memory);
  };
  return run(routine, stream, call, "uplo,trans,n,k,alpha,rsA,csA,beta,rsC,csC", uplo, trans, n, k, alpha, rs_a, cs_a,
             beta, rs_c, cs_c);
}

template <class T>
abax_status gemv(const char* routine, abax_stream* stream, char trans, index_t m, index_t n, T alpha, const T* a,
                 index_t rs_a, index_t cs_a, const T* x, index_t incx, T beta, T* y, index_t incy) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemv";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const operation op(function, "trans", trans);
    const index_t rows = op.turns ? n : m, terms = op.turns ? m : n;
    const use inputs = m != 0 && n != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const auto A = matrix_of(function, "A", a, m, n, rs_a, cs_a, inputs);
    const auto X = vector_of(function, "x", x, terms, incx, inputs);
    const auto Y = vector_of(function, "y", y, rows, incy);
    require_countable(function, rows, 1, inputs == use::none ? 0 : terms);
    launch::gemv<Exec, T>::run(exec, op.letter, alpha, A, X, beta, Y, memory);
  };
  return run(routine, stream, call, "trans,m,n,alpha,rsA,csA,incx,beta,incy", trans, m, n, alpha, rs_a, cs_a, incx,
             beta, incy);
}

/// A batch's items, extents and outputs can be counted.
inline void require_countable_items(const char* function, index_t items, index_t rows, index_t cols, index_t terms) {
  require_countable(function, rows, cols, terms);
  require_countable(function, items, rows * cols, 1);
}

template <class T>
abax_status gemm_batched(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t items, index_t m,
                         index_t n, index_t k, T alpha, const T* a, index_t is_a, index_t rs_a, index_t cs_a,
                         const T* b, index_t is_b, index_t rs_b, index_t cs_b, T beta, T* c, index_t is_c, index_t rs_c,
                         index_t cs_c) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemm_batched";
    require_extent(function, "items", items);
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = m != 0 && n != 0 && k != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const operation op_a(function, "transA", trans_a);
    const operation op_b(function, "transB", trans_b);
    const auto A =
        matrices_of(function, "A", a, items, is_a, op_a.turns ? k : m, op_a.turns ? m : k, rs_a, cs_a, inputs);
    const auto B =
        matrices_of(function, "B", b, items, is_b, op_b.turns ? n : k, op_b.turns ? k : n, rs_b, cs_b, inputs);
    const auto C = matrices_of(function, "C", c, items, is_c, m, n, rs_c, cs_c);
    require_countable_items(function, items, m, n, inputs == use::none ? 0 : k);
    launch::batch<Exec, T>::gemm(exec, op_a.letter, op_b.letter, alpha, A, B, beta, C, memory);
  };
  return run(routine, stream, call, "transA,transB,items,m,n,k,alpha,isA,rsA,csA,isB,rsB,csB,beta,isC,rsC,csC", trans_a,
             trans_b, items, m, n, k, alpha, is_a, rs_a, cs_a, is_b, rs_b, cs_b, beta, is_c, rs_c, cs_c);
}

template <class T>
abax_status gemm_batched_at(const char* routine, abax_stream* stream, bool by_rows, char trans_a, char trans_b,
                            std::int64_t items, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                            const T* const* a, std::int64_t lda, const T* const* b, std::int64_t ldb, T beta,
                            T* const* c, std::int64_t ldc) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing) {
    constexpr const char* function = "abax::gemm_batched";
    require_extent(function, "items", items);
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const operation op_a(function, "transA", trans_a);
    const operation op_b(function, "transB", trans_b);
    const T anywhere{};  // where matrices lie is not known here, how large they are is
    const auto require_addresses = [&](const char* name, index_t rows, index_t cols, index_t ld) {
      matrix_of(function, name, &anywhere, rows, cols, by_rows ? ld : 1, by_rows ? 1 : ld);
    };
    require_addresses("A", op_a.turns ? k : m, op_a.turns ? m : k, lda);
    require_addresses("B", op_b.turns ? n : k, op_b.turns ? k : n, ldb);
    require_addresses("C", m, n, ldc);
    require_countable_items(function, items, m, n, tile::is_zero(alpha) ? 0 : k);
    launch::batch<Exec, T>::gemm_at(exec, by_rows ? storage::by_rows : storage::by_columns, op_a.letter, op_b.letter,
                                    {m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c, items);
  };
  return run(routine, stream, call, "transA,transB,items,m,n,k,alpha,lda,ldb,beta,ldc", trans_a, trans_b, items, m, n,
             k, alpha, lda, ldb, beta, ldc);
}

template <class T>
abax_status gemv_batched(const char* routine, abax_stream* stream, char trans, index_t items, index_t m, index_t n,
                         T alpha, const T* a, index_t is_a, index_t rs_a, index_t cs_a, const T* x, index_t is_x,
                         index_t incx, T beta, T* y, index_t is_y, index_t incy) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemv_batched";
    require_extent(function, "items", items);
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const operation op(function, "trans", trans);
    const index_t rows = op.turns ? n : m, terms = op.turns ? m : n;
    const use inputs = m != 0 && n != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const auto A = matrices_of(function, "A", a, items, is_a, m, n, rs_a, cs_a, inputs);
    const auto X = matrices_of(function, "x", x, items, is_x, terms, 1, incx, 0, inputs);
    const auto Y = matrices_of(function, "y", y, items, is_y, rows, 1, incy, 0);
    require_countable_items(function, items, rows, 1, inputs == use::none ? 0 : terms);
    launch::batch<Exec, T>::gemv(exec, op.letter, alpha, A, X, beta, Y, memory);
  };
  return run(routine, stream, call, "trans,items,m,n,alpha,isA,rsA,csA,isx,incx,beta,isy,incy", trans, items, m, n,
             alpha, is_a, rs_a, cs_a, is_x, incx, beta, is_y, incy);
}

/// x . y, or conj(x) . y.
template <class T>
abax_status dot(const char* routine, abax_stream* stream, index_t n, const T* x, index_t incx, const T* y, index_t incy,
                T* result, bool conjugated = false) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    const char* const function = conjugated ? "abax::dotc" : "abax::dot";
    require_extent(function, "n", n);
    const auto X = vector_of(function, "x", x, n, incx), Y = vector_of(function, "y", y, n, incy);
    launch::reductions<Exec, T>::run(exec, launch::dot_of<T>(X, Y, conjugated),
                                     vector_of(function, "result", result, 1, 1).data, memory);
  };
  return run(routine, stream, call, "n,incx,incy", n, incx, incy);
}

template <template <class> class Kernel, class T>
abax_status reduce(const char* routine, abax_stream* stream, index_t n, const T* x, index_t incx,
                   typename Kernel<T>::result_type* result) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = Kernel<T>::name;
    require_extent(function, "n", n);
    const auto X = vector_of(function, "x", x, n, incx);
    launch::reductions<Exec, T>::run(exec, launch::reduction_of<Kernel, T>(X),
                                     vector_of(function, "result", result, 1, 1).data, memory);
  };
  return run(routine, stream, call, "n,incx", n, incx);
}

/// B <- A^T, or A^H.
template <class T>
abax_status transpose(const char* routine, abax_stream* stream, index_t m, index_t n, const T* a, index_t rs_a,
                      index_t cs_a, T* b, index_t rs_b, index_t cs_b, bool conjugated = false) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    const char* const function = conjugated ? "abax::conjugate_transpose" : "abax::transpose";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const auto A = matrix_of(function, "A", a, m, n, rs_a, cs_a);
    const auto B = matrix_of(function, "B", b, n, m, rs_b, cs_b);
    require_countable(function, n, m, 1);
    if constexpr (tile::is_complex<T>) {
      if (conjugated) return launch::transpose<Exec, T>::run_conjugated(exec, A, B, memory);
    }
    launch::transpose<Exec, T>::run(exec, A, B, memory);
  };
  return run(routine, stream, call, "m,n,rsA,csA,rsB,csB", m, n, rs_a, cs_a, rs_b, cs_b);
}
template <class T>
abax_status transpose_in_place(const char* routine, abax_stream* stream, index_t n, T* a, index_t rs_a, index_t cs_a,
                               bool conjugated = false) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    const char* const function = conjugated ? "abax::conjugate_transpose" : "abax::transpose";
    require_extent(function, "n", n);
    const auto A = matrix_of(function, "A", a, n, n, rs_a, cs_a);
    require_countable(function, n, n, 1);
    if constexpr (tile::is_complex<T>) {
      if (conjugated) return launch::transpose<Exec, T>::run_in_place_conjugated(exec, A, memory);
    }
    launch::transpose<Exec, T>::run_in_place(exec, A, memory);
  };
  return run(routine, stream, call, "n,rsA,csA", n, rs_a, cs_a);
}

/// z <- alpha x + beta y under the name and the operands' names of the function that was called; `told` are its
/// arguments as it has them.
template <class T, class... Told>
abax_status combine(const char* routine, const char* function, abax_stream* stream, index_t n, T alpha, const T* x,
                    index_t incx, T beta, const T* y, index_t incy, const char* z_name, T* z, index_t incz,
                    const char* names, const Told&... told) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    require_extent(function, "n", n);
    const auto X = vector_of(function, "x", x, n, incx, tile::is_zero(alpha) ? use::none : use::any);
    const auto Y = vector_of(function, "y", y, n, incy);
    const auto Z = vector_of(function, z_name, z, n, incz);
    launch::stream<Exec, T>::combine(function, exec, alpha, tile::column(X), beta, "y", tile::column(Y), z_name,
                                     tile::column(Z), memory);
  };
  return run(routine, stream, call, names, told...);
}
template <class T>
abax_status axpby(const char* routine, abax_stream* stream, index_t n, T alpha, const T* x, index_t incx, T beta, T* y,
                  index_t incy) {
  return combine<T>(routine, "abax::axpby", stream, n, alpha, x, incx, beta, y, incy, "y", y, incy,
                    "n,alpha,incx,beta,incy", n, alpha, incx, beta, incy);
}
template <class T>
abax_status scal(const char* routine, abax_stream* stream, index_t n, T* y, index_t incy, T alpha, const T* x,
                 index_t incx) {
  return combine<T>(routine, "abax::scal", stream, n, alpha, x, incx, T{}, y, incy, "y", y, incy, "n,incy,alpha,incx",
                    n, incy, alpha, incx);
}
/// By a real factor, part by part.
template <class Real>
abax_status scal(const char* routine, abax_stream* stream, index_t n, tile::complex<Real>* y, index_t incy, Real alpha,
                 const tile::complex<Real>* x, index_t incx) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::scal";
    require_extent(function, "n", n);
    const auto X = vector_of(function, "x", x, n, incx, tile::is_zero(alpha) ? use::none : use::any);
    const auto Y = vector_of(function, "y", y, n, incy);
    if (memory == sharing::checked) {
      launch::require_injective(function, "y", launch::footprint_of(Y));
      launch::require_same_or_disjoint(function, "y", launch::footprint_of(Y), "x", launch::footprint_of(X));
    }
    if (n == 0) return;
    const tile::matrix<Real> to{&Y.data->re, 2, n, 1, 2 * Y.stride};
    const tile::matrix<const Real> from{X.data == nullptr ? to.data : &X.data->re, 2, n, 1, 2 * X.stride},
        unread{to.data, 2, n, 1, to.col_stride};
    launch::stream<Exec, Real>::combine(function, exec, alpha, from, Real(0), "y", unread, "y", to, sharing::trusted);
  };
  return run(routine, stream, call, "n,incy,alpha,incx", n, incy, alpha, incx);
}
template <class T>
abax_status triad(const char* routine, abax_stream* stream, index_t n, T alpha, const T* x, index_t incx, const T* y,
                  index_t incy, T* z, index_t incz) {
  return combine<T>(routine, "abax::triad", stream, n, alpha, x, incx, T{1}, y, incy, "z", z, incz,
                    "n,alpha,incx,incy,incz", n, alpha, incx, incy, incz);
}

template <class T>
abax_status copy(const char* routine, abax_stream* stream, index_t n, const T* x, index_t incx, T* y, index_t incy) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::copy";
    require_extent(function, "n", n);
    const auto X = vector_of(function, "x", x, n, incx);
    const auto Y = vector_of(function, "y", y, n, incy);
    launch::stream<Exec, T>::copy(exec, tile::column(X), tile::column(Y), memory);
  };
  return run(routine, stream, call, "n,incx,incy", n, incx, incy);
}

template <class T>
abax_status increment(const char* routine, abax_stream* stream, index_t n, T value, T* x, index_t incx) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::increment";
    require_extent(function, "n", n);
    launch::stream<Exec, T>::increment(exec, value, vector_of(function, "x", x, n, incx), memory);
  };
  return run(routine, stream, call, "n,value,incx", n, value, incx);
}

}  // namespace abax::c
