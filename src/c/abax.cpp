// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C interface: pointers and strides become operands, exceptions become statuses.
#include "abax/abax.h"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "abax/detail/tile/scalar.hpp"
#include "abax/error.hpp"
#include "abax/templates.hpp"
#include "addresses.hpp"
#include "at_once.hpp"
#include "start.hpp"
#include "stream.hpp"
#include "verbose.hpp"

namespace abax::c {
namespace {

using launch::sharing;

abax_status failed(abax_stream* stream, abax_status status, const char* message) noexcept {
  if (told_call* const here = call_being_told()) here->failure = abax_status_text(status);
  try {
    if (stream != nullptr) stream->message = message;
  } catch (...) {  // no memory for it: the status has to do
  }
  return status;
}

/// Whether what runs computes on `place`. A small product waits for the answer.
bool serves(const space& place) noexcept {
  if (std::holds_alternative<host>(place)) return host_runs();
  return device_runs();
}

/// To whoever is told. Throws where what the variable says is unknown.
void tell_place(const space& place) {
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

[[noreturn]] void fail_extent(const char* function, const char* name, index_t extent) {
  throw invalid_argument(std::string(function) + ": " + name + " is " + std::to_string(extent) +
                         (extent < 0 ? ", expected 0 or more" : ", expected less than 2^60"));
}
inline void require_extent(const char* function, const char* name, index_t extent) {
  if (extent < 0 || extent >= too_many) fail_extent(function, name, extent);
}

/// Throws where a product has more terms than 64 bits count, or its sums more than the canon's blocks are counted.
[[gnu::noinline]] void require_countable_large(const char* function, index_t rows, index_t cols, index_t terms) {
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

[[noreturn]] void fail_operand(const char* function, const char* name, const void* data, const std::string& shape) {
  const std::string operand = std::string(function) + ": " + name;
  if (data == nullptr) throw invalid_argument(operand + " is a null pointer");
  throw invalid_argument(operand + " (" + shape +
                         ") does not fit the address space, expected less than 2^60 bytes from its first element to "
                         "its last");
}
[[noreturn]] void fail_matrix(const char* function, const char* name, const void* data, index_t rows, index_t cols,
                              index_t row_stride, index_t col_stride) {
  fail_operand(function, name, data,
               std::to_string(rows) + " x " + std::to_string(cols) + ", strides " + std::to_string(row_stride) +
                   " and " + std::to_string(col_stride));
}
[[noreturn]] void fail_vector(const char* function, const char* name, const void* data, index_t size, index_t stride) {
  fail_operand(function, name, data, std::to_string(size) + " elements, stride " + std::to_string(stride));
}

/// A stride between `extent` elements. One that nothing uses may be any number: here it becomes one that may be added
/// and multiplied like others.
index_t stride_of(index_t extent, index_t stride) {
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

template <class T>
abax_status gemm(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t m, index_t n, index_t k,
                 T alpha, const T* a, index_t rs_a, index_t cs_a, const T* b, index_t rs_b, index_t cs_b, T beta, T* c,
                 index_t rs_c, index_t cs_c) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::gemm";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = m != 0 && n != 0 && k != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const bool turn_a = launch::transposition(function, "transA", &trans_a) != 'N';
    const bool turn_b = launch::transposition(function, "transB", &trans_b) != 'N';
    const auto A = matrix_of(function, "A", a, turn_a ? k : m, turn_a ? m : k, rs_a, cs_a, inputs);
    const auto B = matrix_of(function, "B", b, turn_b ? n : k, turn_b ? k : n, rs_b, cs_b, inputs);
    const auto C = matrix_of(function, "C", c, m, n, rs_c, cs_c);
    require_countable(function, m, n, inputs == use::none ? 0 : k);
    launch::gemm<Exec, T>::run(exec, turn_a ? "T" : "N", turn_b ? "T" : "N", alpha, A, B, beta, C, memory);
  };
  return run(routine, stream, call, "transA,transB,m,n,k,alpha,rsA,csA,rsB,csB,beta,rsC,csC", trans_a, trans_b, m, n, k,
             alpha, rs_a, cs_a, rs_b, cs_b, beta, rs_c, cs_c);
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
    const bool turn_a = launch::transposition(function, "transA", &trans_a) != 'N';
    const bool turn_b = launch::transposition(function, "transB", &trans_b) != 'N';
    const auto A = matrix_of(function, "A", a, turn_a ? k : n, turn_a ? n : k, rs_a, cs_a, inputs);
    const auto B = matrix_of(function, "B", b, turn_b ? n : k, turn_b ? k : n, rs_b, cs_b, inputs);
    const auto C = matrix_of(function, "C", c, n, n, rs_c, cs_c);
    require_countable(function, n, n, inputs == use::none ? 0 : k);
    launch::gemm<Exec, T>::run_triangle(exec, part, turn_a ? "T" : "N", turn_b ? "T" : "N", alpha, A, B, beta, C,
                                        memory);
  };
  return run(routine, stream, call, "uplo,transA,transB,n,k,alpha,rsA,csA,rsB,csB,beta,rsC,csC", uplo, trans_a, trans_b,
             n, k, alpha, rs_a, cs_a, rs_b, cs_b, beta, rs_c, cs_c);
}

template <class T>
abax_status syrk(const char* routine, abax_stream* stream, char uplo, char trans, index_t n, index_t k, T alpha,
                 const T* a, index_t rs_a, index_t cs_a, T beta, T* c, index_t rs_c, index_t cs_c) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::syrk";
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const use inputs = n != 0 && k != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const char part[] = {launch::triangle(function, "uplo", &uplo), '\0'};
    const bool turned = launch::transposition(function, "trans", &trans) != 'N';
    const auto A = matrix_of(function, "A", a, turned ? k : n, turned ? n : k, rs_a, cs_a, inputs);
    const auto C = matrix_of(function, "C", c, n, n, rs_c, cs_c);
    require_countable(function, n, n, inputs == use::none ? 0 : k);
    launch::gemm<Exec, T>::run_rank_k(exec, part, turned ? "T" : "N", alpha, A, beta, C, memory);
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
    const bool turned = launch::transposition(function, "trans", &trans) != 'N';
    const index_t rows = turned ? n : m, terms = turned ? m : n;
    const use inputs = m != 0 && n != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const auto A = matrix_of(function, "A", a, m, n, rs_a, cs_a, inputs);
    const auto X = vector_of(function, "x", x, terms, incx, inputs);
    const auto Y = vector_of(function, "y", y, rows, incy);
    require_countable(function, rows, 1, inputs == use::none ? 0 : terms);
    launch::gemv<Exec, T>::run(exec, turned ? "T" : "N", alpha, A, X, beta, Y, memory);
  };
  return run(routine, stream, call, "trans,m,n,alpha,rsA,csA,incx,beta,incy", trans, m, n, alpha, rs_a, cs_a, incx,
             beta, incy);
}

/// A batch's items, extents and outputs can be counted.
void require_countable_items(const char* function, index_t items, index_t rows, index_t cols, index_t terms) {
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
    const bool turn_a = launch::transposition(function, "transA", &trans_a) != 'N';
    const bool turn_b = launch::transposition(function, "transB", &trans_b) != 'N';
    const auto A = matrices_of(function, "A", a, items, is_a, turn_a ? k : m, turn_a ? m : k, rs_a, cs_a, inputs);
    const auto B = matrices_of(function, "B", b, items, is_b, turn_b ? n : k, turn_b ? k : n, rs_b, cs_b, inputs);
    const auto C = matrices_of(function, "C", c, items, is_c, m, n, rs_c, cs_c);
    require_countable_items(function, items, m, n, inputs == use::none ? 0 : k);
    launch::batch<Exec, T>::gemm(exec, turn_a ? "T" : "N", turn_b ? "T" : "N", alpha, A, B, beta, C, memory);
  };
  return run(routine, stream, call, "transA,transB,items,m,n,k,alpha,isA,rsA,csA,isB,rsB,csB,beta,isC,rsC,csC", trans_a,
             trans_b, items, m, n, k, alpha, is_a, rs_a, cs_a, is_b, rs_b, cs_b, beta, is_c, rs_c, cs_c);
}

template <class T>
abax_status gemm_batched_at(const char* routine, abax_stream* stream, char trans_a, char trans_b, index_t items,
                            index_t m, index_t n, index_t k, T alpha, const T* const* a, index_t lda, const T* const* b,
                            index_t ldb, T beta, T* const* c, index_t ldc) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing) {
    constexpr const char* function = "abax::gemm_batched";
    require_extent(function, "items", items);
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    require_extent(function, "k", k);
    const bool turn_a = launch::transposition(function, "transA", &trans_a) != 'N';
    const bool turn_b = launch::transposition(function, "transB", &trans_b) != 'N';
    const T anywhere{};  // where matrices lie is not known here, how large they are is
    matrix_of(function, "A", &anywhere, turn_a ? k : m, turn_a ? m : k, 1, lda);
    matrix_of(function, "B", &anywhere, turn_b ? n : k, turn_b ? k : n, 1, ldb);
    matrix_of(function, "C", &anywhere, m, n, 1, ldc);
    require_countable_items(function, items, m, n, tile::is_zero(alpha) ? 0 : k);
    launch::batch<Exec, T>::gemm_at(exec, storage::by_columns, turn_a ? "T" : "N", turn_b ? "T" : "N",
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
    const bool turned = launch::transposition(function, "trans", &trans) != 'N';
    const index_t rows = turned ? n : m, terms = turned ? m : n;
    const use inputs = m != 0 && n != 0 && !tile::is_zero(alpha) ? use::any : use::none;
    const auto A = matrices_of(function, "A", a, items, is_a, m, n, rs_a, cs_a, inputs);
    const auto X = matrices_of(function, "x", x, items, is_x, terms, 1, incx, 0, inputs);
    const auto Y = matrices_of(function, "y", y, items, is_y, rows, 1, incy, 0);
    require_countable_items(function, items, rows, 1, inputs == use::none ? 0 : terms);
    launch::batch<Exec, T>::gemv(exec, turned ? "T" : "N", alpha, A, X, beta, Y, memory);
  };
  return run(routine, stream, call, "trans,items,m,n,alpha,isA,rsA,csA,isx,incx,beta,isy,incy", trans, items, m, n,
             alpha, is_a, rs_a, cs_a, is_x, incx, beta, is_y, incy);
}

template <class T>
abax_status dot(const char* routine, abax_stream* stream, index_t n, const T* x, index_t incx, const T* y, index_t incy,
                T* result) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::dot";
    require_extent(function, "n", n);
    const auto X = vector_of(function, "x", x, n, incx), Y = vector_of(function, "y", y, n, incy);
    launch::reductions<Exec, T>::run(exec, tile::dot<T>{{{X, Y}}}, vector_of(function, "result", result, 1, 1).data,
                                     memory);
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
    launch::reductions<Exec, T>::run(exec, Kernel<T>{{X}}, vector_of(function, "result", result, 1, 1).data, memory);
  };
  return run(routine, stream, call, "n,incx", n, incx);
}

template <class T>
abax_status transpose(const char* routine, abax_stream* stream, index_t m, index_t n, const T* a, index_t rs_a,
                      index_t cs_a, T* b, index_t rs_b, index_t cs_b) {
  const auto call = [&]<class Exec>(const Exec& exec, sharing memory) {
    constexpr const char* function = "abax::transpose";
    require_extent(function, "m", m);
    require_extent(function, "n", n);
    const auto A = matrix_of(function, "A", a, m, n, rs_a, cs_a);
    const auto B = matrix_of(function, "B", b, n, m, rs_b, cs_b);
    require_countable(function, n, m, 1);
    launch::transpose<Exec, T>::run(exec, A, B, memory);
  };
  return run(routine, stream, call, "m,n,rsA,csA,rsB,csB", m, n, rs_a, cs_a, rs_b, cs_b);
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
  return combine<T>(routine, "abax::scal", stream, n, alpha, x, incx, 0, y, incy, "y", y, incy, "n,incy,alpha,incx", n,
                    incy, alpha, incx);
}
template <class T>
abax_status triad(const char* routine, abax_stream* stream, index_t n, T alpha, const T* x, index_t incx, const T* y,
                  index_t incy, T* z, index_t incz) {
  return combine<T>(routine, "abax::triad", stream, n, alpha, x, incx, 1, y, incy, "z", z, incz,
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

/// The instance of the device that works on the native stream `queue`; Kokkos' own if there is none.
template <class Device>
Device device_on(void* queue) {
  if (queue == nullptr) return Device();
  if constexpr (requires { Device(static_cast<decltype(Device().cuda_stream())>(queue)); })
    return Device(static_cast<decltype(Device().cuda_stream())>(queue));
  throw invalid_argument("abax_open: this device takes no native stream");
}

space space_at(abax_place place, void* queue) {
  if (place == ABAX_HOST) {
    if (queue != nullptr) throw invalid_argument("abax_open: the host has no native stream, expected null");
    return host();
  }
  if constexpr (has_device) return device_on<device>(queue);
  throw resource_error("abax_open: this build has no device");
}

}  // namespace

template <class T>
bool multiply_at_once([[maybe_unused]] bool in_place, [[maybe_unused]] openmp::direct_product<T>&& product) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (openmp::has_few_rows<T>(product.m) && openmp::lanes_are_columns(openmp::kernels<T>().lanes, product.m, product.n,
                                                                      product.k, in_place, product.stride_b == 1))
    return false;
  openmp::run_directly<T>("abax::gemm", host(), in_place, std::move(product));
  return true;
#else
  return false;
#endif
}
template <class T>
bool multiply_at_once([[maybe_unused]] const openmp::direct_vector_product<T>& product) {
#ifdef KOKKOS_ENABLE_OPENMP
  openmp::run_directly<T>("abax::gemv", host(), product);
  return true;
#else
  return false;
#endif
}
/// Reductions likewise, where they are small.
template <class Kernel>
bool reduces_at_once([[maybe_unused]] const Kernel& kernel, [[maybe_unused]] typename Kernel::result_type* result) {
#ifdef KOKKOS_ENABLE_OPENMP
  using rows = typename openmp::backend::immediate_reductions<Kernel>;
  return launch::run_immediately<openmp::backend>(rows(), Kernel::name, host(),
                                                  tile::reduction<Kernel>{kernel, result});
#else
  return false;
#endif
}
template <class T>
bool dot_at_once(index_t n, const T* x, index_t incx, const T* y, index_t incy, T* result) {
  return reduces_at_once(tile::dot<T>{{{{x, n, incx}, {y, n, incy}}}}, result);
}
template <class T, class Result>
bool reduce_at_once(reduction kind, index_t n, const T* x, index_t incx, Result* result) {
  const tile::vector<const T> X{x, n, incx};
  if constexpr (std::is_same_v<Result, T>)
    return kind == reduction::nrm2 ? reduces_at_once(tile::nrm2<T>{{X}}, result)
                                   : reduces_at_once(tile::asum<T>{{{X}}}, result);
  else
    return reduces_at_once(tile::iamax<T>{{X}}, result);
}

template bool dot_at_once(index_t n, const float* x, index_t incx, const float* y, index_t incy, float* result);
template bool dot_at_once(index_t n, const double* x, index_t incx, const double* y, index_t incy, double* result);
template bool reduce_at_once(reduction kind, index_t n, const float* x, index_t incx, float* result);
template bool reduce_at_once(reduction kind, index_t n, const float* x, index_t incx, index_t* result);
template bool reduce_at_once(reduction kind, index_t n, const double* x, index_t incx, double* result);
template bool reduce_at_once(reduction kind, index_t n, const double* x, index_t incx, index_t* result);
template bool multiply_at_once(bool in_place, openmp::direct_product<float>&& product);
template bool multiply_at_once(bool in_place, openmp::direct_product<double>&& product);
template bool multiply_at_once(const openmp::direct_vector_product<float>& product);
template bool multiply_at_once(const openmp::direct_vector_product<double>& product);

}  // namespace abax::c

using namespace abax::c;

extern "C" {

int abax_version(void) { return ABAX_VERSION; }

const char* abax_status_text(abax_status status) {
  switch (status) {
    case ABAX_SUCCESS:
      return "success";
    case ABAX_INVALID_ARGUMENT:
      return "invalid argument";
    case ABAX_OUT_OF_RESOURCES:
      return "out of resources";
    case ABAX_UNAVAILABLE:
      return "not available in this build or on this machine";
    case ABAX_FAILED:
      return "failed";
  }
  return "unknown status";
}

abax_status abax_open(abax_place place, void* queue, unsigned options, abax_stream** stream) {
  if (stream == nullptr) return ABAX_INVALID_ARGUMENT;
  *stream = nullptr;
  if ((place != ABAX_HOST && place != ABAX_DEVICE) || (options & ~unsigned(ABAX_TRUST_OPERANDS)) != 0)
    return ABAX_INVALID_ARGUMENT;
  try {
    if (!(place == ABAX_DEVICE ? start_device() : start_host())) return ABAX_UNAVAILABLE;
    const auto memory = (options & ABAX_TRUST_OPERANDS) != 0 ? sharing::trusted : sharing::checked;
    *stream = new abax_stream{space_at(place, queue), memory, {}};
    return ABAX_SUCCESS;
  } catch (const abax::invalid_argument&) {
    return ABAX_INVALID_ARGUMENT;
  } catch (const abax::resource_error&) {
    return ABAX_UNAVAILABLE;
  } catch (const std::bad_alloc&) {
    return ABAX_OUT_OF_RESOURCES;
  } catch (const std::system_error&) {
    return ABAX_OUT_OF_RESOURCES;
  } catch (...) {
    return ABAX_FAILED;
  }
}

void abax_close(abax_stream* stream) {
  if (stream != nullptr && serves(stream->space)) delete stream;  // else Kokkos' instances cannot be destroyed any more
}

abax_status abax_fence(abax_stream* stream) {
  const auto fence = [&] { return run(stream, [](const auto& exec, sharing) { exec.fence("abax_fence"); }); };
  if (stream == nullptr || std::holds_alternative<host>(stream->space)) return fence();  // nothing to wait for
  return told(
      __func__, timing::of_all, [](line&) {}, fence);
}

const char* abax_message(const abax_stream* stream) { return stream == nullptr ? "" : stream->message.c_str(); }

abax_status abax_sgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, float alpha,
                       const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                       float* C, int64_t rsC, int64_t csC) {
  return gemm(__func__, stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_dgemm(abax_stream* stream, char transA, char transB, int64_t m, int64_t n, int64_t k, double alpha,
                       const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                       double beta, double* C, int64_t rsC, int64_t csC) {
  return gemm(__func__, stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_sgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k, float alpha,
                        const float* A, int64_t rsA, int64_t csA, const float* B, int64_t rsB, int64_t csB, float beta,
                        float* C, int64_t rsC, int64_t csC) {
  return gemmt(__func__, stream, uplo, transA, transB, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_dgemmt(abax_stream* stream, char uplo, char transA, char transB, int64_t n, int64_t k, double alpha,
                        const double* A, int64_t rsA, int64_t csA, const double* B, int64_t rsB, int64_t csB,
                        double beta, double* C, int64_t rsC, int64_t csC) {
  return gemmt(__func__, stream, uplo, transA, transB, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, C, rsC, csC);
}

abax_status abax_ssyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, float alpha, const float* A,
                       int64_t rsA, int64_t csA, float beta, float* C, int64_t rsC, int64_t csC) {
  return syrk(__func__, stream, uplo, trans, n, k, alpha, A, rsA, csA, beta, C, rsC, csC);
}

abax_status abax_dsyrk(abax_stream* stream, char uplo, char trans, int64_t n, int64_t k, double alpha, const double* A,
                       int64_t rsA, int64_t csA, double beta, double* C, int64_t rsC, int64_t csC) {
  return syrk(__func__, stream, uplo, trans, n, k, alpha, A, rsA, csA, beta, C, rsC, csC);
}

abax_status abax_sgemv(abax_stream* stream, char trans, int64_t m, int64_t n, float alpha, const float* A, int64_t rsA,
                       int64_t csA, const float* x, int64_t incx, float beta, float* y, int64_t incy) {
  return gemv(__func__, stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy);
}

abax_status abax_dgemv(abax_stream* stream, char trans, int64_t m, int64_t n, double alpha, const double* A,
                       int64_t rsA, int64_t csA, const double* x, int64_t incx, double beta, double* y, int64_t incy) {
  return gemv(__func__, stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy);
}

abax_status abax_sgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, float alpha, const float* A, int64_t isA, int64_t rsA, int64_t csA,
                               const float* B, int64_t isB, int64_t rsB, int64_t csB, float beta, float* C, int64_t isC,
                               int64_t rsC, int64_t csC) {
  return gemm_batched(__func__, stream, transA, transB, items, m, n, k, alpha, A, isA, rsA, csA, B, isB, rsB, csB, beta,
                      C, isC, rsC, csC);
}

abax_status abax_dgemm_batched(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                               int64_t k, double alpha, const double* A, int64_t isA, int64_t rsA, int64_t csA,
                               const double* B, int64_t isB, int64_t rsB, int64_t csB, double beta, double* C,
                               int64_t isC, int64_t rsC, int64_t csC) {
  return gemm_batched(__func__, stream, transA, transB, items, m, n, k, alpha, A, isA, rsA, csA, B, isB, rsB, csB, beta,
                      C, isC, rsC, csC);
}

abax_status abax_sgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, float alpha, const float* const* A, int64_t lda, const float* const* B,
                                  int64_t ldb, float beta, float* const* C, int64_t ldc) {
  return gemm_batched_at(__func__, stream, transA, transB, items, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

abax_status abax_dgemm_batched_at(abax_stream* stream, char transA, char transB, int64_t items, int64_t m, int64_t n,
                                  int64_t k, double alpha, const double* const* A, int64_t lda, const double* const* B,
                                  int64_t ldb, double beta, double* const* C, int64_t ldc) {
  return gemm_batched_at(__func__, stream, transA, transB, items, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

abax_status abax_sgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n, float alpha,
                               const float* A, int64_t isA, int64_t rsA, int64_t csA, const float* x, int64_t isx,
                               int64_t incx, float beta, float* y, int64_t isy, int64_t incy) {
  return gemv_batched(__func__, stream, trans, items, m, n, alpha, A, isA, rsA, csA, x, isx, incx, beta, y, isy, incy);
}

abax_status abax_dgemv_batched(abax_stream* stream, char trans, int64_t items, int64_t m, int64_t n, double alpha,
                               const double* A, int64_t isA, int64_t rsA, int64_t csA, const double* x, int64_t isx,
                               int64_t incx, double beta, double* y, int64_t isy, int64_t incy) {
  return gemv_batched(__func__, stream, trans, items, m, n, alpha, A, isA, rsA, csA, x, isx, incx, beta, y, isy, incy);
}

abax_status abax_sdot(abax_stream* stream, int64_t n, const float* x, int64_t incx, const float* y, int64_t incy,
                      float* result) {
  return dot(__func__, stream, n, x, incx, y, incy, result);
}

abax_status abax_ddot(abax_stream* stream, int64_t n, const double* x, int64_t incx, const double* y, int64_t incy,
                      double* result) {
  return dot(__func__, stream, n, x, incx, y, incy, result);
}

abax_status abax_snrm2(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::nrm2>(__func__, stream, n, x, incx, result);
}

abax_status abax_dnrm2(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::nrm2>(__func__, stream, n, x, incx, result);
}

abax_status abax_sasum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::asum>(__func__, stream, n, x, incx, result);
}

abax_status abax_dasum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::asum>(__func__, stream, n, x, incx, result);
}

abax_status abax_ssum(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* result) {
  return reduce<abax::tile::sum>(__func__, stream, n, x, incx, result);
}

abax_status abax_dsum(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* result) {
  return reduce<abax::tile::sum>(__func__, stream, n, x, incx, result);
}

abax_status abax_isamax(abax_stream* stream, int64_t n, const float* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(__func__, stream, n, x, incx, result);
}

abax_status abax_idamax(abax_stream* stream, int64_t n, const double* x, int64_t incx, int64_t* result) {
  return reduce<abax::tile::iamax>(__func__, stream, n, x, incx, result);
}

abax_status abax_stranspose(abax_stream* stream, int64_t m, int64_t n, const float* A, int64_t rsA, int64_t csA,
                            float* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, A, rsA, csA, B, rsB, csB);
}

abax_status abax_dtranspose(abax_stream* stream, int64_t m, int64_t n, const double* A, int64_t rsA, int64_t csA,
                            double* B, int64_t rsB, int64_t csB) {
  return transpose(__func__, stream, m, n, A, rsA, csA, B, rsB, csB);
}

abax_status abax_saxpby(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, float beta, float* y,
                        int64_t incy) {
  return axpby(__func__, stream, n, alpha, x, incx, beta, y, incy);
}

abax_status abax_daxpby(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, double beta,
                        double* y, int64_t incy) {
  return axpby(__func__, stream, n, alpha, x, incx, beta, y, incy);
}

abax_status abax_sscal(abax_stream* stream, int64_t n, float* y, int64_t incy, float alpha, const float* x,
                       int64_t incx) {
  return scal(__func__, stream, n, y, incy, alpha, x, incx);
}

abax_status abax_dscal(abax_stream* stream, int64_t n, double* y, int64_t incy, double alpha, const double* x,
                       int64_t incx) {
  return scal(__func__, stream, n, y, incy, alpha, x, incx);
}

abax_status abax_scopy(abax_stream* stream, int64_t n, const float* x, int64_t incx, float* y, int64_t incy) {
  return copy(__func__, stream, n, x, incx, y, incy);
}

abax_status abax_dcopy(abax_stream* stream, int64_t n, const double* x, int64_t incx, double* y, int64_t incy) {
  return copy(__func__, stream, n, x, incx, y, incy);
}

abax_status abax_striad(abax_stream* stream, int64_t n, float alpha, const float* x, int64_t incx, const float* y,
                        int64_t incy, float* z, int64_t incz) {
  return triad(__func__, stream, n, alpha, x, incx, y, incy, z, incz);
}

abax_status abax_dtriad(abax_stream* stream, int64_t n, double alpha, const double* x, int64_t incx, const double* y,
                        int64_t incy, double* z, int64_t incz) {
  return triad(__func__, stream, n, alpha, x, incx, y, incy, z, incz);
}

abax_status abax_sincrement(abax_stream* stream, int64_t n, float value, float* x, int64_t incx) {
  return increment(__func__, stream, n, value, x, incx);
}

abax_status abax_dincrement(abax_stream* stream, int64_t n, double value, double* x, int64_t incx) {
  return increment(__func__, stream, n, value, x, incx);
}

}  // extern "C"
