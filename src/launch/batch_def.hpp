// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of products: arguments checked, then by a row for small items, by the ordinary rows with all items in one
/// league, or item by item.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "abax/detail/launch/batch.hpp"
#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/team/batch.hpp"

namespace abax::launch {

template <class Primitives, class T>
struct batch_team {
  typename Primitives::parameters parameters;
  tile::batch<T> batch;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    team::batch<Primitives>(team, parameters, batch);
  }
};

template <class Backend, class T>
struct kernel_for<Backend, tile::batch<T>> {
  using rows = typename Backend::template batch_rows<T>;

  template <class Row>
  static void run(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::batch<T>& batch) {
    using P = typename Row::primitives;
    static_assert(backends::batch_row<Row, T, Backend>);
    const auto parameters = Row::parameters(batch, machine);
    const int teams = league(function, Row::teams(batch, parameters, machine));
    note(Row::name, teams);
    Backend::template launch<P>(function, exec, teams, P::scratch_bytes(), batch_team<P, T>{parameters, batch});
  }
};

/// The first item as a plan must see it: with operands whose addresses are no better aligned than those of any item.
template <class T>
tile::product<T> worst_aligned(const tile::batch<T>& batch) {
  const auto worst = [&](const T* data, index_t step) {
    const auto bits = reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(step * index_t(sizeof(T)));
    return reinterpret_cast<const T*>(batch.a_at != nullptr ? alignof(T) : bits);
  };
  tile::product<T> p = batch.first;
  p.a.data = worst(p.a.data, batch.a_step);
  p.b.data = worst(p.b.data, batch.b_step);
  return p;
}

/// By the ordinary rows, each item being as many teams as one product would be.
template <class Backend, shape Kind, class T>
void run_in_league(const char* function, const typename Backend::instance& exec,
                   const typename Backend::machine_type& machine, const tile::batch<T>& batch) {
  const tile::product<T> problem = worst_aligned(batch);
  const auto plan = portable::under_ieee([&] { return choose<Backend, Kind>(problem, machine); });
  run_product(function, exec, machine, batch, plan ? *plan : plans<Backend, Kind>(problem, machine).back());
}

template <class Backend, class T>
bool run_as_small(const char* function, const typename Backend::instance& exec,
                  const typename Backend::machine_type& machine, const tile::batch<T>& batch) {
  for (const auto& row : kernel_rows<Backend, tile::batch<T>>::all())
    if (row.serves(batch, machine) && row.scratch_bytes() <= machine.team_scratch) {
      row.run(function, exec, machine, batch);
      return true;
    }
  return false;
}

/// A batch whose operands have been checked. Very many items are several launches, so that each can have a team for
/// every item.
template <class Exec, class T>
void run_batch(const char* function, const Exec& exec, const tile::batch<T>& given) {
  using backend = backends::backend_for_t<Exec>;
  constexpr index_t most = index_t(1) << 29;
  if (given.items() > most) {
    for (index_t begin = 0; begin < given.items(); begin += most)
      run_batch(function, exec, given.part(begin, tile::min(most, given.items() - begin)));
    return;
  }
  const tile::product<T>& item = given.first;
  if (given.items() == 0 || item.c.rows == 0 || item.c.cols == 0) return;
  const bool reads = item.terms() != 0 && !tile::is_zero(item.epilogue.alpha);
  if (!reads && item.epilogue.keeps_output()) return;
  tile::batch<T> batch = tile::along_rows(given);
  if (!reads) {  // nothing of A and B is to be looked at
    batch.first.a = {nullptr, batch.first.c.rows, 0, 0, 0};
    batch.first.b = {nullptr, 0, batch.first.c.cols, 0, 0};
    batch.a_step = batch.b_step = 0;
    batch.a_at = batch.b_at = nullptr;
  }
  const auto machine = backend::machine(exec);
  if (reads && run_as_small<backend>(function, exec, machine, batch)) return;
  if constexpr (backend::runs_items) {
    const double terms = double(item.c.rows) * double(item.c.cols) * double(tile::max<index_t>(1, item.terms()));
    backend::each_item(function, exec, batch.items(), terms, [&](const typename backend::instance& by, index_t i) {
      product_of_any_shape(function, by, tile::product<T>(batch(i)));
    });
  } else if (batch.first.c.cols == 1) {
    run_in_league<backend, shape::vectors>(function, exec, machine, batch);
  } else {
    run_in_league<backend, shape::matrices>(function, exec, machine, batch);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks.

/// An operand of a batch, with the names that errors have for it.
template <class T>
struct named_matrices {
  const char* name;
  const tile::matrices<T>& of;

  bool shared() const { return of.count == tile::matrices<T>::shared; }
  footprint item(index_t i) const {
    footprint f = footprint_of(of.first);
    f.data = of.first.data + i * of.step;
    return f;
  }
};

/// Throws unless C has no element twice, as far as any two of its three strides say, and its first two items.
template <class T>
void require_injective_items(const char* function, const named_matrices<T>& c) {
  footprint f = c.item(0);
  require_injective(function, c.name, f);
  if (f.rows == 0 || f.cols == 0 || c.of.count == 0) return;
  const index_t step = c.of.step * f.element;
  for (const footprint& pair : {footprint{f.data, f.rows, c.of.count, f.row_stride, step, f.element},
                                footprint{f.data, c.of.count, f.cols, step, f.col_stride, f.element}})
    if (overlaps_itself(pair)) fail_injective(function, c.name, f);
  if (c.of.count > 1 && overlap(f, c.item(1))) fail_injective(function, c.name, f);
}

/// Throws if the first or the last of C's items shares an element with one of A's that lies there, or the other way
/// round. Of items as far apart as A's and C's are, these are all that need be asked.
template <class T>
void require_disjoint_items(const char* function, const named_matrices<T>& c, const named_matrices<const T>& a) {
  if (c.of.count <= 0 || a.of.count == 0) return;
  const auto of_one = [&](const auto& one, const auto& other, const auto& check) {
    const auto last_of = [](const auto& items) { return items.shared() ? 0 : items.of.count - 1; };
    const index_t last = last_of(other);
    for (const index_t o : {index_t(0), last_of(one)}) {
      const footprint mine = one.item(o);
      const index_t apart =
          (reinterpret_cast<std::intptr_t>(mine.data) - reinterpret_cast<std::intptr_t>(other.of.first.data)) /
          index_t(sizeof(T));
      const index_t near = other.of.step == 0 ? 0 : apart / other.of.step;
      for (const index_t i : {index_t(0), near - 1, near, near + 1, last})
        if (0 <= i && i <= last) check(mine, other.item(i));
    }
  };
  of_one(c, a,
         [&](const footprint& of_c, const footprint& of_a) { require_disjoint(function, c.name, of_c, a.name, of_a); });
  of_one(a, c,
         [&](const footprint& of_a, const footprint& of_c) { require_disjoint(function, c.name, of_c, a.name, of_a); });
}

template <class T>
void require_items(const char* function, const named_matrices<const T>& input, const named_matrices<T>& output) {
  if (!input.shared())
    require_equal(function, (std::string("extent 0 of ") + input.name).c_str(), input.of.count,
                  (std::string("extent 0 of ") + output.name).c_str(), output.of.count);
}

template <class T>
void require_separate_items(const char* function, T alpha, const named_matrices<const T>& a,
                            const named_matrices<const T>& b, const named_matrices<T>& c) {
  if (c.of.count > 0) require_memory_of(function, alpha, a.name, a.of.first, b.name, b.of.first, c.name, c.of.first);
  require_injective_items(function, c);
  require_disjoint_items(function, c, a);
  require_disjoint_items(function, c, b);
}

/// What errors call an item's operand or extent. Items are many: names are made for those that fail.
inline constexpr index_t of_all_items = -1;
inline std::string name_of(const char* name, index_t item) {
  return item == of_all_items ? name : name + (" of item " + std::to_string(item));
}
/// Throws unless lines of `length` elements fit `ld`.
inline void require_leading(const char* function, const char* operand, index_t item, index_t ld, index_t length) {
  if (ld >= length) return;
  const std::string name = name_of(operand, item);
  fail_equal(function, ("the leading dimension of " + name).c_str(), ld, ("a line of " + name).c_str(), length);
}
inline void require_extent(const char* function, const char* extent, index_t item, index_t value) {
  if (value < 0) fail_equal(function, name_of(extent, item).c_str(), value, "the least that it may be", 0);
}

/// One product with null operands, which lie as `order` and the transpositions say; `item` is its number, for errors.
template <class T>
tile::product<T> product_of_shape(const char* function, index_t item, storage order, char op_a, char op_b,
                                  const gemm_shape& s, T alpha, T beta) {
  for (const auto& [name, value] : {std::pair("m", s.m), std::pair("n", s.n), std::pair("k", s.k)})
    require_extent(function, name, item, value);
  const auto lying = [&](const char* name, index_t rows, index_t cols, index_t ld) {
    const bool by_columns = order == storage::by_columns;
    require_leading(function, name, item, ld, std::max<index_t>(1, by_columns ? rows : cols));
    return tile::matrix<T>{nullptr, rows, cols, by_columns ? 1 : ld, by_columns ? ld : 1};
  };
  const tile::matrix<T> a = op_a != 'N' ? lying("A", s.k, s.m, s.lda).transposed() : lying("A", s.m, s.k, s.lda);
  const tile::matrix<T> b = op_b != 'N' ? lying("B", s.n, s.k, s.ldb).transposed() : lying("B", s.k, s.n, s.ldb);
  tile::product<T> p{a.as_input(), b.as_input(), lying("C", s.m, s.n, s.ldc), {alpha, beta}};
  p.conjugated_a = op_a == 'C';
  p.conjugated_b = op_b == 'C';
  return p;
}

// ---------------------------------------------------------------------------------------------------------------------

// Outside the class, and so not inline: see launch/gemm_def.hpp.
template <class Exec, class T>
void batch<Exec, T>::gemm(const Exec& exec, const char* trans_a, const char* trans_b, T alpha,
                          const tile::matrices<const T>& A, const tile::matrices<const T>& B, T beta,
                          const tile::matrices<T>& C, sharing memory) {
  constexpr const char* function = "abax::gemm_batched";
  const named_matrices<const T> in_a{"A", A}, in_b{"B", B};
  const named_matrices<T> out{"C", C};
  const char op_a = transposition(function, "transA", trans_a), op_b = transposition(function, "transB", trans_b);
  const auto a = op_a == 'N' ? A : A.transposed();
  const auto b = op_b == 'N' ? B : B.transposed();
  require_items(function, in_a, out);
  require_items(function, in_b, out);
  require_equal(function, "extent 0 of an item of op(A)", a.first.rows, "extent 0 of one of C", C.first.rows);
  require_equal(function, "extent 1 of an item of op(A)", a.first.cols, "extent 0 of one of op(B)", b.first.rows);
  require_equal(function, "extent 1 of an item of op(B)", b.first.cols, "extent 1 of one of C", C.first.cols);
  if (memory == sharing::checked) require_separate_items(function, alpha, in_a, in_b, out);
  tile::batch<T> problem(tile::product<T>{a.first, b.first, C.first, {alpha, beta}});
  problem.first.conjugated_a = op_a == 'C';
  problem.first.conjugated_b = op_b == 'C';
  problem.first.items = C.count;
  problem.a_step = a.step;
  problem.b_step = b.step;
  problem.c_step = C.step;
  run_batch(function, exec, problem);
}

template <class Exec, class T>
void batch<Exec, T>::gemv(const Exec& exec, const char* trans, T alpha, const tile::matrices<const T>& A,
                          const tile::matrices<const T>& x, T beta, const tile::matrices<T>& y, sharing memory) {
  constexpr const char* function = "abax::gemv_batched";
  const named_matrices<const T> in_a{"A", A}, in_x{"x", x};
  const named_matrices<T> out{"y", y};
  const char op = transposition(function, "trans", trans);
  const auto a = op == 'N' ? A : A.transposed();
  require_items(function, in_a, out);
  require_items(function, in_x, out);
  require_equal(function, "extent 0 of an item of op(A)", a.first.rows, "the extent of one of y", y.first.rows);
  require_equal(function, "extent 1 of an item of op(A)", a.first.cols, "the extent of one of x", x.first.rows);
  if (memory == sharing::checked) require_separate_items(function, alpha, in_a, in_x, out);
  tile::batch<T> problem(tile::product<T>{a.first, x.first, y.first, {alpha, beta}});
  problem.first.conjugated_a = op == 'C';
  problem.first.items = y.count;
  problem.a_step = a.step;
  problem.b_step = x.step;
  problem.c_step = y.step;
  run_batch(function, exec, problem);
}

template <class Exec, class T>
void batch<Exec, T>::gemm_at(const Exec& exec, storage order, const char* trans_a, const char* trans_b,
                             const gemm_shape& shape, T alpha, const T* const* A, const T* const* B, T beta,
                             T* const* C, index_t items) {
  constexpr const char* function = "abax::gemm_batched";
  const char op_a = transposition(function, "transA", trans_a), op_b = transposition(function, "transB", trans_b);
  require_extent(function, "the number of items", of_all_items, items);
  tile::batch<T> problem(product_of_shape<T>(function, of_all_items, order, op_a, op_b, shape, alpha, beta));
  const bool writes = items > 0 && shape.m > 0 && shape.n > 0, reads = writes && shape.k > 0 && !tile::is_zero(alpha);
  const auto require_array = [&](const char* name, const void* at, bool touched) {
    require_memory(function, name, {at, items, 1, 0, 0, 1}, touched);
  };
  require_array("the array of pointers A", A, reads);
  require_array("the array of pointers B", B, reads);
  require_array("the array of pointers C", C, writes);
  problem.first.items = items;
  problem.a_at = A;
  problem.b_at = B;
  problem.c_at = C;
  if (writes) run_batch(function, exec, problem);
}

/// Pointers of items that lie in host memory, in the memory of the machine for as long as this exists.
template <class Backend, class T>
class item_pointers {
  using space = typename Backend::execution_space;
  static constexpr bool on_host = Kokkos::SpaceAccessibility<space, Kokkos::HostSpace>::accessible;

 public:
  item_pointers(const char* function, const typename Backend::instance& exec, std::vector<const T*> pointers)
      : pointers_(std::move(pointers)),
        memory_(make_workspace<Backend>(function, exec, on_host ? 0 : sizeof(T*) * pointers_.size(), 0)) {
    if constexpr (!on_host) {
      const std::size_t size = sizeof(T*) * pointers_.size();
      Kokkos::deep_copy(exec,
                        Kokkos::View<char*, typename space::memory_space, Kokkos::MemoryUnmanaged>(
                            static_cast<char*>(memory_.sums()), size),
                        Kokkos::View<const char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                            reinterpret_cast<const char*>(pointers_.data()), size));
      exec.fence("abax::gemm_batched");  // the copy reads what ends with this object
    }
  }
  const T* const* at(std::size_t first) const {
    return (on_host ? pointers_.data() : static_cast<const T* const*>(memory_.sums())) + first;
  }

 private:
  std::vector<const T*> pointers_;
  typename Backend::workspace memory_;
};

template <class Exec, class T>
void batch<Exec, T>::gemm_of(const Exec& exec, storage order, const char* trans_a, const char* trans_b, T alpha,
                             const gemm_item<T>* items, T beta, index_t count) {
  using backend = backends::backend_for_t<Exec>;
  constexpr const char* function = "abax::gemm_batched";
  const char op_a = transposition(function, "transA", trans_a), op_b = transposition(function, "transB", trans_b);
  require_extent(function, "the number of items", of_all_items, count);
  require_memory(function, "the array of items", {items, count, 1, 0, 0, 1}, true);
  const auto shape_of = [&](index_t i) {
    const gemm_item<T>& item = items[i];
    return gemm_shape{item.m, item.n, item.k, item.lda, item.ldb, item.ldc};
  };
  const auto checked = [&](index_t i) {
    return product_of_shape<T>(function, i, order, op_a, op_b, shape_of(i), alpha, beta);
  };
  std::vector<index_t> by_shape;  // items with outputs, those of one shape side by side
  for (index_t i = 0; i < count; ++i) {
    const tile::product<T> item = checked(i);
    if (item.c.rows == 0 || item.c.cols == 0) continue;
    by_shape.push_back(i);
    const bool reads = item.terms() != 0 && !tile::is_zero(alpha);
    const auto require_matrix = [&](const char* name, const void* data, const auto& m, bool touched) {
      if (data == nullptr) require_memory(function, name_of(name, i).c_str(), {data, m.rows, m.cols, 0, 0, 1}, touched);
    };
    require_matrix("A", items[i].a, item.a, reads);
    require_matrix("B", items[i].b, item.b, reads);
    require_matrix("C", items[i].c, item.c, true);
  }
  if (by_shape.empty()) return;
  const auto key = [&](index_t i) {
    const gemm_shape s = shape_of(i);
    return std::tuple(s.m, s.n, s.k, s.lda, s.ldb, s.ldc);
  };
  std::stable_sort(by_shape.begin(), by_shape.end(), [&](index_t i, index_t j) { return key(i) < key(j); });
  const std::size_t all = by_shape.size();
  std::vector<const T*> pointers;
  pointers.reserve(3 * all);
  for (const index_t i : by_shape) pointers.push_back(items[i].a);
  for (const index_t i : by_shape) pointers.push_back(items[i].b);
  for (const index_t i : by_shape) pointers.push_back(items[i].c);
  const item_pointers<backend, T> memory(function, exec, std::move(pointers));
  for (std::size_t begin = 0, end; begin < all; begin = end) {
    for (end = begin + 1; end < all && key(by_shape[end]) == key(by_shape[begin]);) ++end;
    tile::batch<T> problem(checked(by_shape[begin]));
    problem.first.items = static_cast<index_t>(end - begin);
    problem.a_at = memory.at(begin);
    problem.b_at = memory.at(all + begin);
    problem.c_at = const_cast<T* const*>(memory.at(2 * all + begin));
    run_batch(function, exec, problem);
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
extern template struct batch<openmp::instance, float>;
extern template struct batch<openmp::instance, double>;
extern template struct batch<openmp::instance, tile::complex<float>>;
extern template struct batch<openmp::instance, tile::complex<double>>;
extern template struct kernel_rows<openmp::backend, tile::batch<float>>;
extern template struct kernel_rows<openmp::backend, tile::batch<double>>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct kernel_rows<cuda::backend, tile::batch<float>>;
extern template struct kernel_rows<cuda::backend, tile::batch<double>>;
extern template struct product_rows<cuda::backend, shape::matrices, float>;
extern template struct product_rows<cuda::backend, shape::matrices, double>;
extern template struct product_rows<cuda::backend, shape::vectors, float>;
extern template struct product_rows<cuda::backend, shape::vectors, double>;
#endif

}  // namespace abax::launch
