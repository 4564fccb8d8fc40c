// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Products in the shape of C++26's std::linalg: over mdspan, with an execution space's instance in the place of an
/// execution policy.
///
///     namespace linalg = abax::linalg;
///     linalg::matrix_product(exec, A, linalg::transposed(B), C);             // C <- A B^T
///     linalg::matrix_product(exec, linalg::scaled(2.0, A), B, C, C);         // C <- C + 2 A B
///     linalg::matrix_vector_product(exec, A, x, linalg::scaled(beta, y), y); // y <- beta y + A x
///     linalg::symmetric_matrix_rank_k_update(exec, A, C, linalg::lower_triangle);  // C's lower triangle <- A A^T
///     linalg::matrix_product(exec, linalg::conjugate_transposed(A), linalg::conjugated(B), C);  // C <- A^H conj(B)
///
/// Operands: any mdspan (Kokkos', the standard library's) of float, double or complex throughout (Kokkos::complex or
/// std::complex), with a strided layout and plain, scaled or conjugated elements, in memory that `exec` can access.
/// Inputs may be transposed, scaled and conjugated in any order; the conjugate of scaled elements is that of their
/// factor, too. Factors of both sides are multiplied with each other before they meet a sum: C is gemm's with alpha =
/// (factor of A) (factor of B) and beta = (factor of E). Asynchronous on `exec`; order, errors and what is read are
/// those of gemm and gemv; but where memory runs out, C may hold E already.
/// Source: P1673, A free function linear algebra interface based on the BLAS; P3371, Fix C++26 by making the rank-1,
/// rank-2, rank-k, and rank-2k updates consistent with the BLAS.
#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "abax/detail/launch/gemm.hpp"
#include "abax/detail/launch/gemv.hpp"
#include "abax/detail/launch/operands.hpp"
#include "abax/error.hpp"

namespace abax::linalg {

/// Which triangle of a matrix a function works on, its diagonal included.
struct upper_triangle_t {
  explicit upper_triangle_t() = default;
};
inline constexpr upper_triangle_t upper_triangle{};
struct lower_triangle_t {
  explicit lower_triangle_t() = default;
};
inline constexpr lower_triangle_t lower_triangle{};

/// Elements of another accessor times a factor, to be read only.
template <class Factor, class Nested>
class scaled_accessor {
 public:
  using element_type = const typename Nested::element_type;
  using reference = std::remove_cv_t<element_type>;
  using data_handle_type = typename Nested::data_handle_type;
  using offset_policy = scaled_accessor<Factor, typename Nested::offset_policy>;

  constexpr scaled_accessor(const Factor& factor, const Nested& nested) : factor_(factor), nested_(nested) {}

  constexpr reference access(data_handle_type p, std::size_t i) const {
    return static_cast<reference>(factor_ * nested_.access(p, i));
  }
  constexpr typename offset_policy::data_handle_type offset(data_handle_type p, std::size_t i) const {
    return nested_.offset(p, i);
  }
  constexpr const Factor& scaling_factor() const { return factor_; }
  constexpr const Nested& nested_accessor() const { return nested_; }

 private:
  Factor factor_;
  Nested nested_;
};

/// The conjugates of what another accessor reads, to be read only.
template <class Nested>
class conjugated_accessor {
 public:
  using element_type = const typename Nested::element_type;
  using reference = std::remove_cv_t<element_type>;
  using data_handle_type = typename Nested::data_handle_type;
  using offset_policy = conjugated_accessor<typename Nested::offset_policy>;

  constexpr explicit conjugated_accessor(const Nested& nested) : nested_(nested) {}

  constexpr reference access(data_handle_type p, std::size_t i) const {
    return conj(static_cast<reference>(nested_.access(p, i)));
  }
  constexpr typename offset_policy::data_handle_type offset(data_handle_type p, std::size_t i) const {
    return nested_.offset(p, i);
  }
  constexpr const Nested& nested_accessor() const { return nested_; }

 private:
  Nested nested_;
};

/// A layout whose element (i, j) is another's (j, i).
template <class Layout>
struct layout_transpose {
  using nested_layout_type = Layout;

  template <class Extents>
  class mapping;
  template <template <class, std::size_t...> class Family, class Index, std::size_t Rows, std::size_t Cols>
  class mapping<Family<Index, Rows, Cols>> {
   public:
    using extents_type = Family<Index, Rows, Cols>;
    using index_type = typename extents_type::index_type;
    using size_type = typename extents_type::size_type;
    using rank_type = typename extents_type::rank_type;
    using layout_type = layout_transpose;
    using nested_mapping_type = typename Layout::template mapping<Family<Index, Cols, Rows>>;

    constexpr explicit mapping(const nested_mapping_type& nested)
        : nested_(nested), extents_(nested.extents().extent(1), nested.extents().extent(0)) {}

    constexpr const extents_type& extents() const noexcept { return extents_; }
    constexpr const nested_mapping_type& nested_mapping() const noexcept { return nested_; }
    constexpr index_type required_span_size() const { return nested_.required_span_size(); }
    template <class I, class J>
    constexpr index_type operator()(I i, J j) const {
      return nested_(j, i);
    }
    constexpr index_type stride(rank_type r) const { return nested_.stride(1 - r); }

    static constexpr bool is_always_unique() { return nested_mapping_type::is_always_unique(); }
    static constexpr bool is_always_exhaustive() { return nested_mapping_type::is_always_exhaustive(); }
    static constexpr bool is_always_strided() { return nested_mapping_type::is_always_strided(); }
    constexpr bool is_unique() const { return nested_.is_unique(); }
    constexpr bool is_exhaustive() const { return nested_.is_exhaustive(); }
    constexpr bool is_strided() const { return nested_.is_strided(); }
    friend constexpr bool operator==(const mapping& a, const mapping& b) { return a.nested_ == b.nested_; }

   private:
    nested_mapping_type nested_;
    extents_type extents_;
  };
};

/// X with every element times `factor`.
template <class Factor, template <class, class, class, class> class Mdspan, class Element, class Extents, class Layout,
          class Accessor>
constexpr auto scaled(Factor factor, const Mdspan<Element, Extents, Layout, Accessor>& x) {
  using accessor = scaled_accessor<Factor, Accessor>;
  return Mdspan<typename accessor::element_type, Extents, Layout, accessor>(x.data_handle(), x.mapping(),
                                                                            accessor(factor, x.accessor()));
}

/// A^T, the same elements.
template <template <class, class, class, class> class Mdspan, class Element,
          template <class, std::size_t...> class Family, class Index, std::size_t Rows, std::size_t Cols, class Layout,
          class Accessor>
constexpr auto transposed(const Mdspan<Element, Family<Index, Rows, Cols>, Layout, Accessor>& a) {
  using layout = layout_transpose<Layout>;
  using extents = Family<Index, Cols, Rows>;
  return Mdspan<Element, extents, layout, Accessor>(
      a.data_handle(), typename layout::template mapping<extents>(a.mapping()), a.accessor());
}

namespace detail {

template <class Accessor>
inline constexpr bool conjugating = false;
template <class Nested>
inline constexpr bool conjugating<conjugated_accessor<Nested>> = true;

}  // namespace detail

/// conj(X): of real elements X itself, of what is conjugated already what it was.
template <template <class, class, class, class> class Mdspan, class Element, class Extents, class Layout,
          class Accessor>
constexpr auto conjugated(const Mdspan<Element, Extents, Layout, Accessor>& x) {
  if constexpr (!tile::is_complex<launch::own_t<std::remove_cv_t<Element>>>) {
    return x;
  } else if constexpr (detail::conjugating<Accessor>) {
    using nested = std::remove_cvref_t<decltype(x.accessor().nested_accessor())>;
    return Mdspan<typename nested::element_type, Extents, Layout, nested>(x.data_handle(), x.mapping(),
                                                                          x.accessor().nested_accessor());
  } else {
    using accessor = conjugated_accessor<Accessor>;
    return Mdspan<typename accessor::element_type, Extents, Layout, accessor>(x.data_handle(), x.mapping(),
                                                                              accessor(x.accessor()));
  }
}

/// A^H, for real elements A^T.
template <class A>
constexpr auto conjugate_transposed(const A& a) {
  return conjugated(transposed(a));
}

namespace detail {

template <class X>
concept mdspan = requires(const X& x) {
  typename X::element_type;
  x.data_handle();
  x.mapping();
  x.accessor();
};
template <class X>
concept matrix = mdspan<X> && X::rank()
== 2;
template <class X>
concept vector = mdspan<X> && X::rank()
== 1;

/// What is no mdspan gets a type, too, so that a call gets as far as the sentence that says what is expected.
template <class X>
struct value {
  using type = double;
};
template <mdspan X>
struct value<X> {
  using type = std::remove_cv_t<typename X::element_type>;
};
template <class X>
using value_t = typename value<X>::type;
/// The same as the library's own type.
template <class X>
using element_t = launch::own_t<value_t<X>>;
/// And of its parts.
template <class X>
using real_t = tile::real_of<element_t<X>>;

/// An accessor that scales what another reads, and one that passes it on, as Kokkos' accessors with a memory space do.
template <class Accessor>
concept scaling = requires(const Accessor& a) {
  a.scaling_factor();
  a.nested_accessor();
};
template <class Accessor>
using nested_t = std::remove_cvref_t<decltype(std::declval<const Accessor&>().nested_accessor())>;
template <class Accessor>
concept nesting = requires {
  requires scaling<Accessor> || conjugating<Accessor> ||
      (std::is_lvalue_reference_v<typename Accessor::reference> &&
       std::same_as<typename Accessor::reference, typename nested_t<Accessor>::reference>);
};

/// What stands before the elements that an accessor reads, or before their conjugates.
template <class T, class Accessor>
constexpr launch::own_t<T> factor_of(const Accessor& accessor) {
  if constexpr (scaling<Accessor>) {
    return launch::product_of(launch::own(static_cast<T>(accessor.scaling_factor())),
                              factor_of<T>(accessor.nested_accessor()));
  } else if constexpr (conjugating<Accessor>) {
    const auto factor = factor_of<T>(accessor.nested_accessor());
    return {factor.re, -factor.im};
  } else if constexpr (nesting<Accessor>) {
    return factor_of<T>(accessor.nested_accessor());
  } else {
    return launch::own_t<T>{1};
  }
}
/// Whether it reads their conjugates.
template <class Accessor>
constexpr bool conjugates() {
  if constexpr (nesting<Accessor>)
    return conjugates<nested_t<Accessor>>() != conjugating<Accessor>;
  else
    return false;
}
/// Whether an accessor reads elements as they lie in memory, but for factors and conjugates.
template <class T, class Accessor>
constexpr bool reads_memory() {
  if constexpr (nesting<Accessor>)
    return reads_memory<T, nested_t<Accessor>>();
  else
    return std::is_same_v<typename Accessor::reference, T&> || std::is_same_v<typename Accessor::reference, const T&>;
}
/// The pointer that an mdspan holds, or that its handle can become: Kokkos' handles count references.
template <class X>
auto* pointer_of(const X& x) {
  return static_cast<typename X::element_type*>(x.data_handle());
}
template <class X, class T>
concept plain_or_scaled = std::is_constructible_v<const T*, typename X::data_handle_type> &&
    reads_memory<T, typename X::accessor_type>();
template <class X>
concept strided = X::is_always_strided();
template <class X>
concept writable = std::same_as < typename X::reference,
        value_t<X>
& > ;
/// An operand that says nothing of its memory is taken for one that `Exec` can access.
template <class Exec, class X>
concept reaches = !requires {
  typename X::accessor_type::memory_space;
}
|| requires { requires bool(Kokkos::SpaceAccessibility<Exec, typename X::accessor_type::memory_space>::accessible); };

/// Whether `Exec` can compute Output from Inputs; where it cannot, the compiler says why, unless it has already:
/// `Ranks` says whether all are mdspans of the ranks that the function takes.
template <bool Ranks, class Exec, class Output, class... Inputs>
constexpr bool operands_fit() {
  if constexpr (Ranks) {
    using T = value_t<Output>;
    constexpr bool same = (std::same_as<value_t<Inputs>, T> && ...);
    constexpr bool layouts = strided<Output> && (strided<Inputs> && ...);
    constexpr bool elements = !same || (plain_or_scaled<Inputs, T> && ...);
    constexpr bool reached = reaches<Exec, Output> && (reaches<Exec, Inputs> && ...);
    static_assert(same, "abax::linalg: all operands of a call must hold the same type");
    static_assert(layouts, "abax::linalg: operands must have a strided layout");
    static_assert(elements, "abax::linalg: operands' elements must lie in memory, plain, scaled or conjugated");
    static_assert(writable<Output>, "abax::linalg: the output must be plain and not const");
    static_assert(reached, "abax::linalg: the execution space must be able to access every operand");
    return launch::compiles<Exec, element_t<Output>>() && same && layouts && elements && writable<Output> && reached;
  }
  return false;
}

/// A strided operand, perhaps conjugated, and its factor.
template <class T, class Operand>
struct factored : tile::conjugable<Operand> {
  T factor;
};
template <matrix X>
tile::matrix<element_t<X>> output(const X& x) {
  return {launch::own_elements(pointer_of(x)), static_cast<index_t>(x.extent(0)), static_cast<index_t>(x.extent(1)),
          static_cast<index_t>(x.stride(0)), static_cast<index_t>(x.stride(1))};
}
template <vector X>
tile::vector<element_t<X>> output(const X& x) {
  return {launch::own_elements(pointer_of(x)), static_cast<index_t>(x.extent(0)), static_cast<index_t>(x.stride(0))};
}
template <matrix X>
factored<element_t<X>, tile::matrix<const element_t<X>>> input(const X& x) {
  return {{{launch::own_elements(pointer_of(x)), static_cast<index_t>(x.extent(0)), static_cast<index_t>(x.extent(1)),
            static_cast<index_t>(x.stride(0)), static_cast<index_t>(x.stride(1))},
           conjugates<typename X::accessor_type>()},
          factor_of<value_t<X>>(x.accessor())};
}
template <vector X>
factored<element_t<X>, tile::vector<const element_t<X>>> input(const X& x) {
  return {{{launch::own_elements(pointer_of(x)), static_cast<index_t>(x.extent(0)), static_cast<index_t>(x.stride(0))},
           conjugates<typename X::accessor_type>()},
          factor_of<value_t<X>>(x.accessor())};
}

}  // namespace detail

/// C <- A B. A m x k, B k x n, C m x n; C shares no element with A or B.
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
requires Kokkos::is_execution_space_v<Exec>
void matrix_product(const Exec& exec, const AMatrix& A, const BMatrix& B, const CMatrix& C) {
  constexpr bool ranks = detail::matrix<AMatrix> && detail::matrix<BMatrix> && detail::matrix<CMatrix>;
  static_assert(ranks, "abax::linalg::matrix_product: A, B and C must be mdspans of rank 2");
  if constexpr (detail::operands_fit<ranks, Exec, CMatrix, AMatrix, BMatrix>()) {
    using T = detail::element_t<CMatrix>;
    const auto a = detail::input(A);
    const auto b = detail::input(B);
    launch::gemm<Exec, T>::update("abax::linalg::matrix_product", exec, launch::product_of(a.factor, b.factor), a, b,
                                  T{}, detail::input(C), detail::output(C));
  }
}

/// C <- E + A B. E m x n: exactly C's elements, or none of them.
template <class Exec, class AMatrix, class BMatrix, class EMatrix, class CMatrix>
requires Kokkos::is_execution_space_v<Exec>
void matrix_product(const Exec& exec, const AMatrix& A, const BMatrix& B, const EMatrix& E, const CMatrix& C) {
  constexpr bool ranks =
      detail::matrix<AMatrix> && detail::matrix<BMatrix> && detail::matrix<EMatrix> && detail::matrix<CMatrix>;
  static_assert(ranks, "abax::linalg::matrix_product: A, B, E and C must be mdspans of rank 2");
  if constexpr (detail::operands_fit<ranks, Exec, CMatrix, AMatrix, BMatrix, EMatrix>()) {
    const auto a = detail::input(A);
    const auto b = detail::input(B);
    const auto e = detail::input(E);
    launch::gemm<Exec, detail::element_t<CMatrix>>::update("abax::linalg::matrix_product", exec,
                                                           launch::product_of(a.factor, b.factor), a, b, e.factor, e,
                                                           detail::output(C));
  }
}

namespace detail {

template <class X>
concept triangle = std::same_as<X, upper_triangle_t> || std::same_as<X, lower_triangle_t>;
template <triangle Triangle>
constexpr const char* uplo() {
  return std::same_as<Triangle, lower_triangle_t> ? "L" : "U";
}

/// operands_fit of an update of C's own elements.
template <bool Ranks, class Exec, class CMatrix, class AMatrix, class EMatrix>
constexpr bool update_fits() {
  if constexpr (operands_fit<Ranks, Exec, CMatrix, AMatrix, EMatrix>()) {
    constexpr bool plain = !conjugates<typename EMatrix::accessor_type>();
    static_assert(plain, "abax::linalg: E must not be conjugated");
    return plain;
  }
  return false;
}

/// A number as the library's own.
template <class X, class Scalar>
element_t<X> number(const Scalar& x) {
  return launch::own(static_cast<value_t<X>>(x));
}

/// C <- alpha A A^T + beta E, or alpha A A^H + beta E, without a compiled alternative where operands do not fit.
template <class Triangle, class Exec, class AMatrix, class EMatrix, class CMatrix>
void symmetric_update(const Exec& exec, element_t<CMatrix> alpha, const AMatrix& A, element_t<CMatrix> beta,
                      const EMatrix& E, const CMatrix& C) {
  constexpr bool ranks = matrix<AMatrix> && matrix<EMatrix> && matrix<CMatrix>;
  static_assert(ranks, "abax::linalg::symmetric_matrix_rank_k_update: A, E and C must be mdspans of rank 2");
  if constexpr (update_fits<ranks, Exec, CMatrix, AMatrix, EMatrix>()) {
    const auto a = input(A);
    const auto e = input(E);
    launch::gemm<Exec, element_t<CMatrix>>::update_rank_k(
        "abax::linalg::symmetric_matrix_rank_k_update", exec, uplo<Triangle>(),
        launch::product_of(alpha, launch::product_of(a.factor, a.factor)), a, launch::product_of(beta, e.factor),
        e.elements, output(C));
  }
}
template <class Triangle, class Exec, class AMatrix, class EMatrix, class CMatrix>
void hermitian_update(const Exec& exec, real_t<CMatrix> alpha, const AMatrix& A, real_t<CMatrix> beta, const EMatrix& E,
                      const CMatrix& C) {
  constexpr bool ranks = matrix<AMatrix> && matrix<EMatrix> && matrix<CMatrix>;
  static_assert(ranks, "abax::linalg::hermitian_matrix_rank_k_update: A, E and C must be mdspans of rank 2");
  if constexpr (update_fits<ranks, Exec, CMatrix, AMatrix, EMatrix>()) {
    const auto a = input(A);
    const auto e = input(E);
    using T = element_t<CMatrix>;
    constexpr const char* function = "abax::linalg::hermitian_matrix_rank_k_update";
    if constexpr (tile::is_complex<T>) {
      launch::gemm<Exec, T>::update_hermitian_rank_k(function, exec, uplo<Triangle>(),
                                                     launch::product_of_square(alpha, a.factor), a,
                                                     launch::product_of(T{beta}, e.factor), e.elements, output(C));
    } else {
      launch::gemm<Exec, T>::update_rank_k(function, exec, uplo<Triangle>(),
                                           launch::product_of(alpha, launch::product_of(a.factor, a.factor)), a,
                                           launch::product_of(beta, e.factor), e.elements, output(C));
    }
  }
}

}  // namespace detail

/// C <- A A^T in one triangle of C; nothing else of C is read or written. A n x k, C n x n; C shares no element with A.
template <class Exec, class AMatrix, class CMatrix, detail::triangle Triangle>
requires Kokkos::is_execution_space_v<Exec>
void symmetric_matrix_rank_k_update(const Exec& exec, const AMatrix& A, const CMatrix& C, Triangle) {
  detail::symmetric_update<Triangle>(exec, detail::number<CMatrix>(1), A, {}, C, C);
}

/// C <- E + A A^T in one triangle. E: exactly C's elements, as in a BLAS; throws invalid_argument for any other,
/// unless its factor is 0.
template <class Exec, class AMatrix, class EMatrix, class CMatrix, detail::triangle Triangle>
requires(Kokkos::is_execution_space_v<Exec>&& detail::mdspan<AMatrix>) void symmetric_matrix_rank_k_update(
    const Exec& exec, const AMatrix& A, const EMatrix& E, const CMatrix& C, Triangle) {
  const auto one = detail::number<CMatrix>(1);
  detail::symmetric_update<Triangle>(exec, one, A, one, E, C);
}

/// The same two with alpha A A^T.
template <class Exec, class Scalar, class AMatrix, class CMatrix, detail::triangle Triangle>
requires(Kokkos::is_execution_space_v<Exec> &&
         !detail::mdspan<Scalar>) void symmetric_matrix_rank_k_update(const Exec& exec, Scalar alpha, const AMatrix& A,
                                                                      const CMatrix& C, Triangle) {
  detail::symmetric_update<Triangle>(exec, detail::number<CMatrix>(alpha), A, {}, C, C);
}
template <class Exec, class Scalar, class AMatrix, class EMatrix, class CMatrix, detail::triangle Triangle>
requires(Kokkos::is_execution_space_v<Exec> &&
         !detail::mdspan<Scalar>) void symmetric_matrix_rank_k_update(const Exec& exec, Scalar alpha, const AMatrix& A,
                                                                      const EMatrix& E, const CMatrix& C, Triangle) {
  detail::symmetric_update<Triangle>(exec, detail::number<CMatrix>(alpha), A, detail::number<CMatrix>(1), E, C);
}

/// C <- A A^H in one triangle of C, whose diagonal becomes real. Of real elements symmetric_matrix_rank_k_update.
template <class Exec, class AMatrix, class CMatrix, detail::triangle Triangle>
requires Kokkos::is_execution_space_v<Exec>
void hermitian_matrix_rank_k_update(const Exec& exec, const AMatrix& A, const CMatrix& C, Triangle) {
  detail::hermitian_update<Triangle>(exec, 1, A, 0, C, C);
}

/// C <- E + A A^H in one triangle. E: exactly C's elements, whose factor is real; throws invalid_argument for any
/// other, unless its factor is 0.
template <class Exec, class AMatrix, class EMatrix, class CMatrix, detail::triangle Triangle>
requires(Kokkos::is_execution_space_v<Exec>&& detail::mdspan<AMatrix>) void hermitian_matrix_rank_k_update(
    const Exec& exec, const AMatrix& A, const EMatrix& E, const CMatrix& C, Triangle) {
  detail::hermitian_update<Triangle>(exec, 1, A, 1, E, C);
}

/// The same two with alpha A A^H, alpha real.
template <class Exec, class Real, class AMatrix, class CMatrix, detail::triangle Triangle>
requires(Kokkos::is_execution_space_v<Exec>&& std::is_arithmetic_v<Real>) void hermitian_matrix_rank_k_update(
    const Exec& exec, Real alpha, const AMatrix& A, const CMatrix& C, Triangle) {
  detail::hermitian_update<Triangle>(exec, static_cast<detail::real_t<CMatrix>>(alpha), A, 0, C, C);
}
template <class Exec, class Real, class AMatrix, class EMatrix, class CMatrix, detail::triangle Triangle>
requires(Kokkos::is_execution_space_v<Exec>&& std::is_arithmetic_v<Real>) void hermitian_matrix_rank_k_update(
    const Exec& exec, Real alpha, const AMatrix& A, const EMatrix& E, const CMatrix& C, Triangle) {
  detail::hermitian_update<Triangle>(exec, static_cast<detail::real_t<CMatrix>>(alpha), A, 1, E, C);
}

/// y <- A x. A m x k, x k, y m; y shares no element with A or x.
template <class Exec, class Matrix, class XVector, class YVector>
requires Kokkos::is_execution_space_v<Exec>
void matrix_vector_product(const Exec& exec, const Matrix& A, const XVector& x, const YVector& y) {
  constexpr bool ranks = detail::matrix<Matrix> && detail::vector<XVector> && detail::vector<YVector>;
  static_assert(ranks, "abax::linalg::matrix_vector_product: A must be an mdspan of rank 2, x and y of rank 1");
  if constexpr (detail::operands_fit<ranks, Exec, YVector, Matrix, XVector>()) {
    using T = detail::element_t<YVector>;
    const auto a = detail::input(A);
    const auto from = detail::input(x);
    launch::gemv<Exec, T>::update("abax::linalg::matrix_vector_product", exec,
                                  launch::product_of(a.factor, from.factor), a, from, T{}, detail::input(y),
                                  detail::output(y));
  }
}

/// z <- y + A x. y m: exactly z's elements, or none of them.
template <class Exec, class Matrix, class XVector, class YVector, class ZVector>
requires Kokkos::is_execution_space_v<Exec>
void matrix_vector_product(const Exec& exec, const Matrix& A, const XVector& x, const YVector& y, const ZVector& z) {
  constexpr bool ranks =
      detail::matrix<Matrix> && detail::vector<XVector> && detail::vector<YVector> && detail::vector<ZVector>;
  static_assert(ranks, "abax::linalg::matrix_vector_product: A must be an mdspan of rank 2, x, y and z of rank 1");
  if constexpr (detail::operands_fit<ranks, Exec, ZVector, Matrix, XVector, YVector>()) {
    const auto a = detail::input(A);
    const auto from = detail::input(x);
    const auto add = detail::input(y);
    launch::gemv<Exec, detail::element_t<ZVector>>::update("abax::linalg::matrix_vector_product", exec,
                                                           launch::product_of(a.factor, from.factor), a, from,
                                                           add.factor, add, detail::output(z));
  }
}

}  // namespace abax::linalg
