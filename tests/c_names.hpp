// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// abax.h's names by type of number, with Kokkos' complex numbers for its own.
#include <abax/abax.h>

#include <Kokkos_Complex.hpp>
#include <type_traits>

namespace abax::tests {

/// A parameter of a C function as a caller in C++ has it: Kokkos' complex numbers for abax.h's.
template <class T>
struct parameter {
  using type = T;
};
template <>
struct parameter<abax_complex_float> {
  using type = Kokkos::complex<float>;
};
template <>
struct parameter<abax_complex_double> {
  using type = Kokkos::complex<double>;
};
template <class T>
struct parameter<T*> {
  using type = typename parameter<T>::type*;
};
template <class T>
struct parameter<const T> {
  using type = const typename parameter<T>::type;
};
template <class C, class T>
C as_in_c(T x) {
  if constexpr (std::is_same_v<C, T>)
    return x;
  else if constexpr (std::is_pointer_v<C>)
    return reinterpret_cast<C>(x);
  else
    return {x.real(), x.imag()};
}
template <auto Function>
struct adapter;
template <class... P, abax_status (*Function)(P...)>
struct adapter<Function> {
  abax_status operator()(typename parameter<P>::type... arguments) const { return Function(as_in_c<P>(arguments)...); }
};
template <auto Function>
inline constexpr adapter<Function> adapted;

/// The C functions by type.
template <class T>
struct functions;
template <>
struct functions<float> {
  static constexpr auto gemm = abax_sgemm;
  static constexpr auto gemm_integer = abax_sgemm_integer;
  static constexpr auto gemm_integer_with = abax_sgemm_integer_with;
  static constexpr auto gemm_integer_lost = abax_sgemm_integer_lost;
  static constexpr auto integer_operand = abax_sinteger_operand;
  static constexpr auto gemm_batched = abax_sgemm_batched;
  static constexpr auto gemm_batched_at = abax_sgemm_batched_at;
  static constexpr auto gemmt = abax_sgemmt;
  static constexpr auto syrk = abax_ssyrk;
  static constexpr auto gemv = abax_sgemv;
  static constexpr auto gemv_batched = abax_sgemv_batched;
  static constexpr auto dot = abax_sdot;
  static constexpr auto nrm2 = abax_snrm2;
  static constexpr auto asum = abax_sasum;
  static constexpr auto sum = abax_ssum;
  static constexpr auto iamax = abax_isamax;
  static constexpr auto transpose = abax_stranspose;
  static constexpr auto transpose_in_place = abax_stranspose_in_place;
  static constexpr auto axpby = abax_saxpby;
  static constexpr auto scal = abax_sscal;
  static constexpr auto copy = abax_scopy;
  static constexpr auto triad = abax_striad;
  static constexpr auto increment = abax_sincrement;
};
template <>
struct functions<double> {
  static constexpr auto gemm = abax_dgemm;
  static constexpr auto gemm_integer = abax_dgemm_integer;
  static constexpr auto gemm_integer_with = abax_dgemm_integer_with;
  static constexpr auto gemm_integer_lost = abax_dgemm_integer_lost;
  static constexpr auto integer_operand = abax_dinteger_operand;
  static constexpr auto gemm_batched = abax_dgemm_batched;
  static constexpr auto gemm_batched_at = abax_dgemm_batched_at;
  static constexpr auto gemmt = abax_dgemmt;
  static constexpr auto syrk = abax_dsyrk;
  static constexpr auto gemv = abax_dgemv;
  static constexpr auto gemv_batched = abax_dgemv_batched;
  static constexpr auto dot = abax_ddot;
  static constexpr auto nrm2 = abax_dnrm2;
  static constexpr auto asum = abax_dasum;
  static constexpr auto sum = abax_dsum;
  static constexpr auto iamax = abax_idamax;
  static constexpr auto transpose = abax_dtranspose;
  static constexpr auto transpose_in_place = abax_dtranspose_in_place;
  static constexpr auto axpby = abax_daxpby;
  static constexpr auto scal = abax_dscal;
  static constexpr auto copy = abax_dcopy;
  static constexpr auto triad = abax_dtriad;
  static constexpr auto increment = abax_dincrement;
};
template <>
struct functions<Kokkos::complex<float>> {
  static constexpr auto gemm = adapted<abax_cgemm>;
  static constexpr auto gemm_integer = adapted<abax_cgemm_integer>;
  static constexpr auto gemm_integer_with = adapted<abax_cgemm_integer_with>;
  static constexpr auto gemm_integer_lost = adapted<abax_cgemm_integer_lost>;
  static constexpr auto integer_operand = adapted<abax_cinteger_operand>;
  static constexpr auto gemm_batched = adapted<abax_cgemm_batched>;
  static constexpr auto gemm_batched_at = adapted<abax_cgemm_batched_at>;
  static constexpr auto gemmt = adapted<abax_cgemmt>;
  static constexpr auto syrk = adapted<abax_csyrk>;
  static constexpr auto gemv = adapted<abax_cgemv>;
  static constexpr auto gemv_batched = adapted<abax_cgemv_batched>;
  static constexpr auto dot = adapted<abax_cdotu>;
  static constexpr auto nrm2 = adapted<abax_scnrm2>;
  static constexpr auto asum = adapted<abax_scasum>;
  static constexpr auto iamax = adapted<abax_icamax>;
  static constexpr auto transpose = adapted<abax_ctranspose>;
  static constexpr auto transpose_in_place = adapted<abax_ctranspose_in_place>;
  static constexpr auto axpby = adapted<abax_caxpby>;
  static constexpr auto scal = adapted<abax_cscal>;
  static constexpr auto copy = adapted<abax_ccopy>;
  static constexpr auto triad = adapted<abax_ctriad>;
  static constexpr auto increment = adapted<abax_cincrement>;
  static constexpr auto dotc = adapted<abax_cdotc>;
  static constexpr auto herk = adapted<abax_cherk>;
  static constexpr auto conjugate_transpose = adapted<abax_cconjugate_transpose>;
  static constexpr auto conjugate_transpose_in_place = adapted<abax_cconjugate_transpose_in_place>;
  static constexpr auto scal_by_real = adapted<abax_csscal>;
};
template <>
struct functions<Kokkos::complex<double>> {
  static constexpr auto gemm = adapted<abax_zgemm>;
  static constexpr auto gemm_integer = adapted<abax_zgemm_integer>;
  static constexpr auto gemm_integer_with = adapted<abax_zgemm_integer_with>;
  static constexpr auto gemm_integer_lost = adapted<abax_zgemm_integer_lost>;
  static constexpr auto integer_operand = adapted<abax_zinteger_operand>;
  static constexpr auto gemm_batched = adapted<abax_zgemm_batched>;
  static constexpr auto gemm_batched_at = adapted<abax_zgemm_batched_at>;
  static constexpr auto gemmt = adapted<abax_zgemmt>;
  static constexpr auto syrk = adapted<abax_zsyrk>;
  static constexpr auto gemv = adapted<abax_zgemv>;
  static constexpr auto gemv_batched = adapted<abax_zgemv_batched>;
  static constexpr auto dot = adapted<abax_zdotu>;
  static constexpr auto nrm2 = adapted<abax_dznrm2>;
  static constexpr auto asum = adapted<abax_dzasum>;
  static constexpr auto iamax = adapted<abax_izamax>;
  static constexpr auto transpose = adapted<abax_ztranspose>;
  static constexpr auto transpose_in_place = adapted<abax_ztranspose_in_place>;
  static constexpr auto axpby = adapted<abax_zaxpby>;
  static constexpr auto scal = adapted<abax_zscal>;
  static constexpr auto copy = adapted<abax_zcopy>;
  static constexpr auto triad = adapted<abax_ztriad>;
  static constexpr auto increment = adapted<abax_zincrement>;
  static constexpr auto dotc = adapted<abax_zdotc>;
  static constexpr auto herk = adapted<abax_zherk>;
  static constexpr auto conjugate_transpose = adapted<abax_zconjugate_transpose>;
  static constexpr auto conjugate_transpose_in_place = adapted<abax_zconjugate_transpose_in_place>;
  static constexpr auto scal_by_real = adapted<abax_zdscal>;
};

}  // namespace abax::tests
