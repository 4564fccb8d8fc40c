// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm of bytes: arguments checked, operands brought into the order that engines want, multiplied.
#include "abax/detail/launch/gemm_bytes.hpp"
#include "abax/detail/launch/gemm_integer_def.hpp"

namespace abax::launch {

template <class Primitives>
struct byte_lines_team {
  typename Primitives::parameters parameters;
  tile::byte_lines problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::byte_lines<Primitives>(team, parameters, problem);
  }
};
template <class Primitives>
struct byte_product_team {
  typename Primitives::parameters parameters;
  tile::byte_product problem;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::byte_product<Primitives>(team, parameters, problem);
  }
};

template <class Backend>
struct kernel_for<Backend, tile::byte_lines> {
  using rows = typename Backend::template integer_line_rows<float>;  // bytes are of any type

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::byte_lines& problem) {
    run_integer_row<Backend, Row>(
        function, exec, machine, problem.teams(),
        byte_lines_team<typename Row::primitives>{Row::parameters(problem, machine), problem});
  }
};
template <class Backend>
struct kernel_for<Backend, tile::byte_product> {
  using rows = typename Backend::residue_product_rows;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::byte_product& problem) {
    using P = typename Row::primitives;
    const index_t tiles = problem.product.tiles(P::shape).all();
    run_integer_row<Backend, Row>(function, exec, machine, P::teams(tiles, machine.teams_at_once),
                                  byte_product_team<P>{Row::parameters(problem, machine), problem});
  }
};

#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::byte_product>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
extern template struct gemm_bytes<openmp::instance>;
#endif

// Outside the class, and so not inline: `extern template` keeps it out of a user's translation unit.
template <class Exec>
void gemm_bytes<Exec>::run(const Exec& exec, const char* trans_a, const char* trans_b, std::int32_t alpha,
                           const tile::matrix<const std::int8_t>& A, const tile::matrix<const std::int8_t>& B,
                           std::int32_t beta, const tile::matrix<std::int32_t>& C, sharing memory) {
  constexpr const char* function = "abax::gemm";
  using backend = backends::backend_for_t<Exec>;
  tile::matrix<const std::int8_t> a = transposition(function, "transA", trans_a) == 'N' ? A : A.transposed();
  tile::matrix<const std::int8_t> b = transposition(function, "transB", trans_b) == 'N' ? B : B.transposed();
  require_equal(function, "extent 0 of op(A)", a.rows, "extent 0 of C", C.rows);
  require_equal(function, "extent 1 of op(A)", a.cols, "extent 0 of op(B)", b.rows);
  require_equal(function, "extent 1 of op(B)", b.cols, "extent 1 of C", C.cols);
  const bool reads = C.rows != 0 && C.cols != 0 && alpha != 0;
  require_memory(function, "A", footprint_of(A), reads);
  require_memory(function, "B", footprint_of(B), reads);
  require_memory(function, "C", footprint_of(C), true);
  if (memory == sharing::checked) {
    require_injective(function, "C", footprint_of(C));
    require_disjoint(function, "C", footprint_of(C), "A", footprint_of(A));
    require_disjoint(function, "C", footprint_of(C), "B", footprint_of(B));
  }
  if (C.rows == 0 || C.cols == 0) return;
  tile::matrix<std::int32_t> c = C;
  if (tile::is_along_cols(tile::output<std::int32_t>(C))) {  // engines write C along its rows index: C^T = B^T A^T
    c = C.transposed();
    std::swap(a, b);
    a = a.transposed();
    b = b.transposed();
  }
  const tile::matrix<const std::int8_t> columns = b.transposed();
  const auto machine = backend::machine(exec);
  const tile::byte_engine engine = backend::byte_engine(machine);
  const tile::plane_order order = engine.planes;
  const index_t terms = alpha == 0 ? 0 : a.cols, stride = tile::plane_stride(order, terms);
  const auto bytes = [](index_t count) { return integer_blocks::aligned(static_cast<std::size_t>(count)); };
  const std::size_t a_bytes = bytes(tile::plane_room(order, a.rows) * stride),
                    b_bytes = bytes(tile::plane_room(order, columns.rows) * stride),
                    a_sums = bytes(a.rows * index_t(sizeof(std::int32_t))),
                    b_sums = bytes(columns.rows * index_t(sizeof(std::int32_t)));
  const auto workspace = make_workspace<backend, typename backend::integer_workspace>(
      function, exec, a_bytes + b_bytes + a_sums + b_sums, 0);
  auto* const planes = static_cast<std::byte*>(workspace.sums());
  const auto lines_of = [&](const tile::matrix<const std::int8_t>& lines, bool are_unsigned, std::size_t at,
                            std::size_t sums_at) {
    return tile::byte_lines{lines.block(0, 0, lines.rows, terms),
                            are_unsigned,
                            {reinterpret_cast<std::uint8_t*>(planes + at), lines.rows, stride, 1, order},
                            reinterpret_cast<std::int32_t*>(planes + sums_at)};
  };
  const auto left = lines_of(a, engine.left_unsigned, 0, a_bytes + b_bytes);
  const auto right = lines_of(columns, false, a_bytes, a_bytes + b_bytes + a_sums);
  const auto plane_of = [=](const tile::byte_lines& lines) {
    return tile::byte_planes<const std::uint8_t>{lines.planes.data, lines.planes.lines, stride, 1, order};
  };
  if (terms > 0) {
    run_step<backend>(function, exec, machine, left);
    run_step<backend>(function, exec, machine, right);
  }
  run_step<backend>(function, exec, machine,
                    tile::byte_product{{plane_of(left), plane_of(right), 0, terms, nullptr, false},
                                       c,
                                       alpha,
                                       beta,
                                       terms > 0 && engine.left_unsigned,
                                       right.sums});
}

}  // namespace abax::launch
