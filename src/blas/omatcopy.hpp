// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// omatcopy: a matrix copied, transposed and scaled, as in OpenBLAS and MKL.
#include <cstdint>

#include "arguments.hpp"

namespace abax::blas {

/// B <- alpha op(A); A rows x cols as it lies, by columns (order 'C') or by rows ('R'). Of complex numbers `trans` may
/// be 'R', too: the conjugates where they are.
template <class T>
struct omatcopy {
  char order, trans;
  std::int64_t rows, cols;
  T alpha;
  const T* a;
  std::int64_t lda;
  T* b;
  std::int64_t ldb;

  int check() const {
    if (!by_rows() && order != 'C' && order != 'c') return 1;
    if (!is_transposition(trans) && !(is_complex<T> && conjugates_in_place())) return 2;
    if (rows < 0) return 3;
    if (cols < 0) return 4;
    if (lda < least_ld(line_of_a())) return 7;
    if (ldb < least_ld(line_of_b())) return 9;
    if (rows == 0 || cols == 0) return 0;
    const int info = is_zero(alpha) ? 0 : fault(6, a, line_of_a(), lines_of_a(), lda);
    return info != 0 ? info : fault(8, b, line_of_b(), lines_of_b(), ldb);
  }
  void run() const {
    if (rows == 0 || cols == 0) return;
    const std::int64_t length = line_of_b(), columns = lines_of_b();
    const T* const from = is_zero(alpha) ? b : a;  // not read: no operand of its own
    call here("omatcopy", {range_of(from, rows * cols), range_of(b, rows * cols)});
    const auto B = here.use(b, length, columns, ldb, access::write);
    if (!is_zero(alpha)) {  // a plain copy is the transpose of the matrix read along its rows
      const std::int64_t line = line_of_a(), lines = lines_of_a();
      const auto A = here.use(from, line, lines, lda, access::read);
      const auto transpose = [&](std::int64_t m, std::int64_t n, std::int64_t rs, std::int64_t cs) {
        auto* copy = interface<T>::transpose;
        if constexpr (is_complex<T>)
          if (conjugates(trans) || conjugates_in_place()) copy = interface<T>::conjugate_transpose;
        return copy(here.stream(), m, n, A.data, rs, cs, B.data, 1, B.ld);
      };
      here.require(turns() ? transpose(line, lines, 1, A.ld) : transpose(lines, line, A.ld, 1));
    }
    const bool whole = B.ld == length;  // columns one after another are one vector
    for (std::int64_t j = 0; !is_one(alpha) && j < (whole ? 1 : columns); ++j) {
      T* const column = B.data + j * B.ld;
      here.require(interface<T>::scal(here.stream(), whole ? length * columns : length, column, 1, alpha, column, 1));
    }
    here.finish();
  }
  void describe(c::line& text) const {
    text.add_arguments("order,trans,rows,cols,alpha,lda,ldb", order, trans, rows, cols, alpha, lda, ldb);
  }

 private:
  bool by_rows() const { return order == 'R' || order == 'r'; }
  bool conjugates_in_place() const { return trans == 'R' || trans == 'r'; }
  bool turns() const { return transposes(trans) && !conjugates_in_place(); }
  // Elements that lie side by side, and lines of them.
  std::int64_t line_of_a() const { return by_rows() ? cols : rows; }
  std::int64_t lines_of_a() const { return by_rows() ? rows : cols; }
  std::int64_t line_of_b() const { return turns() ? lines_of_a() : line_of_a(); }
  std::int64_t lines_of_b() const { return turns() ? line_of_a() : lines_of_a(); }
};

}  // namespace abax::blas
