// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of abax.h: vectors made of vectors.
#include "one_call.hpp"

namespace abax::tests::fuzz {
namespace {

enum class streaming { axpby, scal, scal_by_real, triad, increment };

/// axpby, scal, triad and increment: z may be x or y.
template <class T>
void vectors(one_call& c, streaming kind) {
  const char* const kernels[] = {"axpby", "abax scal", "abax scal by a real factor", "triad", "increment"};
  c.kernel = kernels[static_cast<int>(kind)];
  const bool three = kind == streaming::triad, alone = kind == streaming::increment;
  index_t n = c.length();
  const T alpha = c.factor<T>(), beta = c.factor<T>();
  const real_of<T> real = c.factor<real_of<T>>();
  auto y = c.place<T>(1, c.vector_layout(n, false));
  const int shared = alone ? 0 : c.choose.below(4);  // what the output shares: 1 x; 2 and three vectors: y
  auto z = three && shared != 2 ? c.place<T>(2, shared == 1 ? y.where() : c.vector_layout(n, false)) : y;
  auto x = shared == 1 ? z : c.place<T>(0, c.vector_layout(n, true));
  const matrix<T> X = x.values(), Y = y.values();
  const T *a = x.first(), *b = y.first();
  T* to = z.first();
  index_t incx = x.where().row_stride, incy = y.where().row_stride, incz = z.where().row_stride;
  const bool reads = n > 0 && !(kind == streaming::scal_by_real ? is_value(real, 0) : is_value(alpha, 0));
  const bool apart = shared != 1 && n > 1 && reads && !alone && incx != 0;
  const int bad = c.spoil({{1, true, [&] { n = -1; }},
                           {2, !alone && reads, [&] { a = nullptr; }},
                           {3, n > 0, [&] { to = nullptr; }},
                           {4, n > 1, [&] { incz = 0; }},
                           {5, !alone && reads && n > 1, [&] { incx = far; }},
                           {6, apart && incz == 1, [&] {  // one element further on
                              a = to + 1;
                              incx = 1;
                            }}});
  if (bad == 0) {
    matrix<T> result = Y;
    if (kind == streaming::axpby) result = reference::axpby(alpha, X, beta, Y);
    if (kind == streaming::scal) result = reference::axpby(alpha, X, T(0), X);
    if (kind == streaming::scal_by_real) result = is_value(real, 0) ? matrix<T>(n, 1) : multiplied(real, X);
    if (kind == streaming::triad) result = reference::axpby(alpha, X, T(1), Y);
    if (kind == streaming::increment)
      for (T& e : result.elements) e = reference::one_nan(e + alpha);
    z.expect(result);
  }
  c.tell<T>("n alpha real beta incx incy incz x y z", n, alpha, real, beta, incx, incy, incz, a, b, to);
  c.run([&] {
    using f = functions<T>;
    const auto make = [&] {
      switch (kind) {
        case streaming::axpby:
          return f::axpby(c.stream, n, alpha, a, incx, beta, to, incz);
        case streaming::scal:
          return f::scal(c.stream, n, to, incz, alpha, a, incx);
        case streaming::scal_by_real:
          if constexpr (is_complex<T>) return f::scal_by_real(c.stream, n, to, incz, real, a, incx);
          break;
        case streaming::triad:
          return f::triad(c.stream, n, alpha, a, incx, b, incy, to, incz);
        default:
          break;
      }
      return f::increment(c.stream, n, alpha, to, incz);
    };
    c.expect_status(make(), bad);
  });
  c.expect(z.difference(three ? "z" : "y"));
  if (shared != 1) c.expect(x.difference("x"));
  if (three && shared != 2) c.expect(y.difference("y"));
}

}  // namespace

template <class T>
void stream(one_call& c) {
  const auto kind = streaming(c.choose.below(5));
  return vectors<T>(c, kind == streaming::scal_by_real && !is_complex<T> ? streaming::triad : kind);
}
template void stream<float>(one_call&);
template void stream<double>(one_call&);
template void stream<c32>(one_call&);
template void stream<c64>(one_call&);

}  // namespace abax::tests::fuzz
