// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm_integer: arguments checked, products launched, operands prepared, elements counted that lose bits.
#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/gemm_integer.hpp"
#include "abax/detail/launch/integer_parts.hpp"
#include "abax/detail/launch/integer_product.hpp"

namespace abax::launch {

template <class T>
int bits_of(const char* function, const integer_options& options) {
  constexpr int digits = tile::ieee<tile::real_of<T>>::mantissa + 1, least = digits - 8, most = digits + 8;
  if (options.bits == 0) return digits;
  if (options.bits < least || options.bits > most)
    throw invalid_argument(std::string(function) + ": bits is " + std::to_string(options.bits) + ", but 0 or " +
                           std::to_string(least) + " to " + std::to_string(most) + " was expected");
  return options.bits;
}

/// The bits of a product with operands that are prepared; throws where they do not serve it so.
template <class T>
int bits_with(const char* function, const char* trans_a, const char* trans_b, const prepared_operands<T>& prepared,
              const integer_options& options) {
  int bits = bits_of<T>(function, options);
  bool is_free = options.bits == 0;
  const auto take = [&](const prepared_lines<T>* lines, const char* name, char side, const char* trans_name,
                        const char* trans) {
    if (lines == nullptr) return;
    const std::string operand = std::string(function) + ": " + name + " was prepared ";
    if (lines->side != side)
      throw invalid_argument(operand + "as the operand \"" + lines->side + "\", but \"" + side + "\" was expected");
    if (transposition(function, trans_name, trans) != 'N')
      throw invalid_argument(operand + "from op(" + name + "), and " + trans_name + " is '" + *trans +
                             "', but \"N\" was expected");
    if (!is_free && lines->bits != bits)
      throw invalid_argument(operand + "with " + std::to_string(lines->bits) + " bits, but " + std::to_string(bits) +
                             " were expected");
    bits = lines->bits;
    is_free = false;
  };
  take(prepared.a, "A", 'L', "transA", trans_a);
  take(prepared.b, "B", 'R', "transB", trans_b);
  return bits;
}

/// The same with the conjugates that operands were prepared of.
template <class T>
tile::product<T> of_prepared(tile::product<T> problem, const prepared_operands<T>& prepared) {
  if (prepared.a != nullptr) problem.conjugated_a = prepared.a->conjugated;
  if (prepared.b != nullptr) problem.conjugated_b = prepared.b->conjugated;
  return problem;
}

/// C <- epilogue(A B), extents and operands checked.
template <class Exec, class T, class Functor>
void integer_product_of(const char* function, const Exec& exec, const tile::product<T, Functor>& problem, int bits,
                        const integer_options& options, const prepared_operands<T>& prepared) {
  using backend = backends::backend_for_t<Exec>;
  has_own_sides<backend>(function, exec, prepared);  // also where nothing is multiplied
  if (problem.c.rows == 0 || problem.c.cols == 0) return;
  if (tile::is_zero(problem.epilogue.alpha) || problem.terms() == 0) {
    if constexpr (std::is_same_v<Functor, tile::no_functor>)
      gemm<Exec, T>::launch(function, exec, tile::along_rows(problem));
    else
      product<shape::matrix>(function, exec, tile::along_rows(problem));
  } else if constexpr (tile::is_complex<T>) {
    complex_integer_product<backend, T, Functor>(function, exec, problem, bits, options, prepared).run();
  } else {
    launch_integer_product<backend>(function, exec, problem, bits, options, prepared);
  }
}

// Outside the class, and so not inline: only then does `extern template` keep it out of a user's translation unit, and
// the user's floating-point flags out of Abax' kernels.
template <class Exec, class T>
void gemm_integer<Exec, T>::run(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                                const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                                const tile::matrix<T>& c, const integer_options& options,
                                const prepared_operands<T>& prepared, sharing memory) {
  constexpr const char* function = "abax::gemm_integer";
  const auto problem = of_prepared(checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, memory), prepared);
  const int bits = bits_with<T>(function, trans_a, trans_b, prepared, options);
  integer_product_of(function, exec, problem, bits, options, prepared);
}

/// The same with a functor at its end.
template <class Exec, class T, class Functor>
void gemm_integer_ending_in(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                            const tile::matrix<const T>& A, const tile::matrix<const T>& B, T beta,
                            const tile::matrix<T>& c, const Functor& functor, const integer_options& options,
                            const prepared_operands<T>& prepared) {
  constexpr const char* function = "abax::gemm_integer";
  const auto problem =
      of_prepared(checked_product(function, trans_a, trans_b, alpha, A, B, beta, c, sharing::checked), prepared);
  check_functor(functor, {function, "C", "extent 0 of C", "extent 1 of C", footprint_of(c)});
  const int bits = bits_with<T>(function, trans_a, trans_b, prepared, options);
  integer_product_of(function, exec, tile::product<T, Functor>{problem, functor}, bits, options, prepared);
}

/// op(X)'s lines as rows, as the left or the right operand of a product.
template <class T>
tile::matrix<const T> lines_of_operand(const char* function, bool is_left, const char* trans,
                                       const tile::matrix<const T>& X) {
  const bool turned = (transposition(function, "trans", trans) == 'N') != is_left;
  return turned ? X.transposed() : X;
}

/// Calls `work` with the real lines of `lines`: those of complex ones, which are the left operand's if `is_left`, are
/// made for the length of the call.
template <class Backend, class T, class Work>
void with_real_lines(const char* function, const typename Backend::instance& exec, const tile::matrix<const T>& lines,
                     bool conjugated, bool is_left, const Work& work) {
  if constexpr (tile::is_complex<T>) {
    using real = tile::real_of<T>;
    if (4.0 * double(sizeof(real)) * double(lines.rows) * double(lines.cols) > 1e17)
      throw resource_error(std::string(function) + ": X is too large");
    const auto numbers = static_cast<std::size_t>(tile::real_lines<real>::size(lines.rows, lines.cols, is_left));
    const auto workspace =
        make_workspace<Backend, typename Backend::integer_workspace>(function, exec, numbers * sizeof(real), 0);
    const tile::real_lines<real> split{lines, conjugated, is_left, static_cast<real*>(workspace.sums())};
    run_step<Backend>(function, exec, Backend::machine(exec), split);
    work(split.result());
  } else {
    work(lines);
  }
}

template <class Exec, class T>
prepared_lines<T> gemm_integer<Exec, T>::prepare(const Exec& exec, const char* side, const char* trans,
                                                 const tile::matrix<const T>& X, const integer_options& options,
                                                 const std::function<void*(std::size_t)>& take) {
  constexpr const char* function = "abax::integer_operand";
  using backend = backends::backend_for_t<Exec>;
  using real = tile::real_of<T>;
  using bits_type = typename tile::ieee<real>::bits;
  const bool is_left = operand_side(function, "side", side) == 'L';
  const auto given = lines_of_operand(function, is_left, trans, X);
  const bool conjugated = tile::is_complex<T> && transposition(function, "trans", trans) == 'C';
  const int bits = bits_of<T>(function, options);
  require_memory(function, "X", footprint_of(X), true);
  const int count = moduli_of<T>(function, is_left ? "extent 1 of op(X)" : "extent 0 of op(X)", given.cols, bits);
  const index_t rows = given.rows * (tile::is_complex<T> && !is_left ? 2 : 1),
                terms = given.cols * (tile::is_complex<T> ? 2 : 1);
  const auto machine = backend::machine(exec);
  const tile::byte_engine engine = backend::byte_engine(machine);
  tile::byte_planes<std::uint8_t> planes{nullptr, rows, tile::plane_stride(engine.planes, terms), count, engine.planes};
  if (double(count) * double(planes.room) * double(planes.stride) > 1e17)
    throw resource_error(std::string(function) + ": X is too large");
  const bool is_empty = rows == 0 || terms == 0;
  const std::size_t plane_bytes =
      is_empty ? 0 : integer_blocks::aligned(static_cast<std::size_t>(count * planes.room * planes.stride));
  auto* const memory =
      static_cast<std::uint8_t*>(take(plane_bytes + static_cast<std::size_t>(rows) * sizeof(bits_type)));
  planes.data = memory;
  auto* const largest = reinterpret_cast<bits_type*>(memory + plane_bytes);
  const bool is_unsigned = is_left && engine.left_unsigned;
  const auto make = [&](const tile::matrix<const real>& lines) {
    tile::line_peaks<real> peaks{lines, nullptr};
    const auto workspace =
        make_workspace<backend>(function, exec, static_cast<std::size_t>(peaks.size()) * sizeof(bits_type), 0);
    peaks.peaks = static_cast<bits_type*>(workspace.sums());
    run_step<backend>(function, exec, machine, peaks);
    run_step<backend>(function, exec, machine, tile::line_residues<real>{peaks, bits, is_unsigned, 0, planes, largest});
  };
  if (!is_empty) with_real_lines<backend>(function, exec, given, conjugated, is_left, make);
  return {{planes.data, rows, planes.stride, count, engine.planes},
          largest,
          bits,
          is_left ? 'L' : 'R',
          is_unsigned,
          conjugated};
}

template <class Exec, class T>
index_t gemm_integer<Exec, T>::lost(const Exec& exec, const char* side, const char* trans,
                                    const tile::matrix<const T>& X, const integer_options& options) {
  constexpr const char* function = "abax::gemm_integer_lost";
  using backend = backends::backend_for_t<Exec>;
  const bool is_left = operand_side(function, "side", side) == 'L';
  const auto given = lines_of_operand(function, is_left, trans, X);
  const int bits = bits_of<T>(function, options);
  require_memory(function, "X", footprint_of(X), true);
  if (given.rows == 0 || given.cols == 0) return 0;
  using real = tile::real_of<T>;
  index_t all = 0;
  const auto count = [&](const tile::matrix<const real>& lines) {
    tile::line_peaks<real> peaks{lines, nullptr};
    const std::size_t peak_bytes =
        integer_blocks::aligned(static_cast<std::size_t>(peaks.size()) * sizeof(*peaks.peaks));
    const auto workspace = make_workspace<backend>(
        function, exec, peak_bytes + static_cast<std::size_t>(peaks.teams()) * sizeof(std::uint64_t), 0);
    peaks.peaks = static_cast<typename tile::ieee<real>::bits*>(workspace.sums());
    const tile::line_losses<real> losses{
        peaks, bits, reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(workspace.sums()) + peak_bytes)};
    const auto machine = backend::machine(exec);
    run_step<backend>(function, exec, machine, peaks);
    run_step<backend>(function, exec, machine, losses);
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(peaks.teams()));
    copy_to_host<backend>(function, exec, losses.counts, counts);
    for (const std::uint64_t of_team : counts) all += static_cast<index_t>(of_team);
  };
  // Either side's lines have the same largest elements; the left one's have each part once.
  with_real_lines<backend>(function, exec, given, false, true, count);
  return all;
}

// Host spaces of the library's own, and the steps that know of no functor.
#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemm_integer<openmp::instance, float>;
extern template struct gemm_integer<openmp::instance, double>;
extern template struct gemm_integer<openmp::instance, tile::complex<float>>;
extern template struct gemm_integer<openmp::instance, tile::complex<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_peaks<float>>;
extern template struct kernel_rows<openmp::backend, tile::line_peaks<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_residues<float>>;
extern template struct kernel_rows<openmp::backend, tile::line_residues<double>>;
extern template void launch_integer_product<openmp::backend, float, tile::no_functor>(
    const char*, const openmp::backend::instance&, const tile::product<float>&, int, const integer_options&,
    prepared_operands<float>, const place_in_c&, std::size_t);
extern template void launch_integer_product<openmp::backend, double, tile::no_functor>(
    const char*, const openmp::backend::instance&, const tile::product<double>&, int, const integer_options&,
    prepared_operands<double>, const place_in_c&, std::size_t);
extern template struct kernel_rows<openmp::backend, tile::real_lines<float>>;
extern template struct kernel_rows<openmp::backend, tile::real_lines<double>>;
extern template struct kernel_rows<openmp::backend, tile::line_weights>;
extern template struct kernel_rows<openmp::backend, tile::residue_check>;
extern template struct kernel_rows<openmp::backend, tile::residue_product>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::line_peaks<float>>;
extern template struct kernel_rows<cuda::backend, tile::line_peaks<double>>;
extern template struct kernel_rows<cuda::backend, tile::line_residues<float>>;
extern template struct kernel_rows<cuda::backend, tile::line_residues<double>>;
extern template void launch_integer_product<cuda::backend, float, tile::no_functor>(
    const char*, const cuda::backend::instance&, const tile::product<float>&, int, const integer_options&,
    prepared_operands<float>, const place_in_c&, std::size_t);
extern template void launch_integer_product<cuda::backend, double, tile::no_functor>(
    const char*, const cuda::backend::instance&, const tile::product<double>&, int, const integer_options&,
    prepared_operands<double>, const place_in_c&, std::size_t);
extern template struct kernel_rows<cuda::backend, tile::real_lines<float>>;
extern template struct kernel_rows<cuda::backend, tile::real_lines<double>>;
extern template struct kernel_rows<cuda::backend, tile::line_weights>;
extern template struct kernel_rows<cuda::backend, tile::residue_check>;
extern template struct kernel_rows<cuda::backend, tile::residue_product>;
#endif

}  // namespace abax::launch
