// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows.
#include "kernels.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "workloads.hpp"

namespace abax::perf {
namespace {

// What the figures in docs/performance.md are taken at.
constexpr extents cube(index_t n) { return {n, n, n}; }
constexpr extents matrix(index_t n) { return {n, 1, n}; }
constexpr extents square(index_t n) { return {n, n, 1}; }
constexpr extents product_host[] = {cube(512), cube(1024), cube(2048), cube(4096)};
constexpr extents product_device[] = {cube(1024), cube(2048), cube(4096), cube(8192), cube(16384)};
constexpr extents product_nn_host[] = {cube(8),          cube(16),         cube(32),         cube(64),
                                       cube(128),        cube(512),        cube(1024),       cube(2048),
                                       cube(4096),       cube(1000),       cube(1023),       cube(1537),
                                       {4096, 64, 4096}, {64, 4096, 4096}, {4096, 4096, 64}, {64, 64, 100000}};
constexpr extents product_nn_device[] = {
    cube(1024), cube(2048), cube(4096),         cube(8192),         cube(16384),        cube(1000),
    cube(4097), cube(8191), {16384, 64, 16384}, {64, 16384, 16384}, {16384, 16384, 64}, {256, 256, 262144}};
constexpr extents triangle(index_t n, index_t k) { return {n, n, k}; }
constexpr extents triangle_host[] = {triangle(100, 64),    triangle(100, 1000), triangle(300, 64),
                                     triangle(300, 1000),  triangle(1000, 64),  triangle(1000, 1000),
                                     triangle(2000, 1000), triangle(4000, 64)};
constexpr extents triangle_device[] = {triangle(512, 512),    triangle(1024, 1024), triangle(4096, 64),
                                       triangle(4096, 4096),  triangle(8192, 8192), triangle(16384, 256),
                                       triangle(256, 1000000)};
constexpr extents vector_host[] = {matrix(1024), matrix(4096), matrix(16384), {100000, 1, 64}, {64, 1, 100000}};
constexpr extents vector_device[] = {matrix(1024),      matrix(4096),      matrix(16384),
                                     matrix(32768),     {1000000, 1, 64},  {64, 1, 1000000},
                                     {1000000, 1, 100}, {100, 1, 1000000}, {4097, 1, 8191}};
constexpr extents dot_host[] = {{1, 1, 100000}, {1, 1, 10000000}};
constexpr extents dot_device[] = {{1, 1, 10000000}, {1, 1, 1 << 28}};
constexpr extents transpose_host[] = {square(1024), square(8192)};
constexpr extents transpose_device[] = {square(4096), square(8192), square(16384), {10007, 4099, 1}};
constexpr extents in_place_device[] = {square(4096), square(8192), square(16384), square(10007)};
/// Items of k x k that fill 256 MiB with their operands.
template <class T>
constexpr extents filling(index_t k) {
  return {1, (index_t(1) << 28) / (3 * k * k * index_t(sizeof(T))), k};
}
template <class T>
constexpr extents batched_device[] = {filling<T>(4),  filling<T>(8), filling<T>(16), filling<T>(32),
                                      filling<T>(64), filling<T>(5), filling<T>(12), filling<T>(24),
                                      filling<T>(33), {1, 10000, 8}, {1, 10, 1000}};
constexpr extents batched_host[] = {{1, 10000, 4}, {1, 10000, 8}, {1, 2000, 16}, {1, 1000, 32}, {1, 200, 64},
                                    {1, 10000, 5}, {1, 2000, 12}, {1, 1000, 24}, {1, 1000, 33}, {1, 10, 1000}};
constexpr std::span<const extents> without_last(std::span<const extents> all) { return all.first(all.size() - 1); }
constexpr extents launch_host[] = {{1, 1, 1}, {2, 1, 1}};
constexpr extents launch_device[] = {{1, 1, 1}, {1024, 1, 1}};
constexpr extents stream_host[] = {{1 << 26, 1, 1}};
constexpr extents stream_device[] = {{1 << 28, 1, 1}};

template <class T>
std::vector<kernel> rows_of_type() {
  return {row<gemm_nn, T>("gemm NN", product_nn_host, product_nn_device),
          row<gemm_nt, T>("gemm NT", product_host, product_device),
          row<gemm_tn, T>("gemm TN", product_host, product_device),
          row<gemm_tt, T>("gemm TT", product_host, product_device),
          row<syrk_n, T>("syrk N", triangle_host, triangle_device),
          row<syrk_t, T>("syrk T", triangle_host, triangle_device),
          row<gemv_n, T>("gemv N", vector_host, vector_device),
          row<gemv_t, T>("gemv T", vector_host, vector_device),
          row<gemm_batched_dense, T>("gemm_batched", batched_host, batched_device<T>),
          row<gemm_batched_interleaved, T>("gemm_batched interleaved", without_last(batched_host),
                                           without_last(batched_device<T>)),
          row<gemv_batched_kernel, T>("gemv_batched", batched_host, batched_device<T>),
          row<dot_kernel, T>("dot", dot_host, dot_device),
          row<transpose_kernel, T>("transpose", transpose_host, transpose_device),
          row<transpose_in_place_kernel, T>("transpose in place", transpose_host, in_place_device)};
}

std::vector<kernel>& table() {
  static std::vector<kernel> all = [] {
    std::vector<kernel> rows = rows_of_type<float>();
    for (const kernel& k : rows_of_type<double>()) rows.push_back(k);
    rows.insert(rows.end(), {row<copy_kernel, float>("copy", stream_host, stream_device),
                             row<triad_kernel, double>("triad", stream_host, stream_device),
                             row<increment_kernel, float>("increment", stream_host, stream_device),
                             row<launch_by_policy, float>("launch policy", launch_host, launch_device),
                             row<launch_of_own, float>("launch own", launch_host, launch_device)});
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const kernel> kernels() { return table(); }

double kernel::stored_bytes(const extents& e) const {
  double all = 0;
  for (const lines& l : operands(e)) all += static_cast<double>(l.size()) * element;
  return std::max(all, bytes(e));
}

bool add_kernel(const kernel& row) {
  std::erase_if(table(),
                [&](const kernel& k) { return k.name == std::string(row.name) && k.type == std::string(row.type); });
  table().push_back(row);
  return true;
}

std::string shape_text(form written, const extents& e) {
  std::ostringstream text;
  for (const char* letter = written; *letter != 0; ++letter)
    text << (letter == written ? "" : " x ") << (*letter == 'k' ? e.k : *letter == 'n' ? e.n : e.m);
  const placement &lies = e.lies, usual;
  if (lies.by_rows) text << ", by rows";
  if (lies.leading != usual.leading) text << ", ld";
  for (const index_t leading : lies.leading)
    if (leading > 0) text << ' ' << leading;
  if (lies.offset != usual.offset) text << ", at";
  for (const index_t offset : lies.offset)
    if (lies.offset != usual.offset) text << ' ' << offset;
  if (lies.alpha != usual.alpha) text << ", alpha " << lies.alpha;
  if (lies.beta != usual.beta) text << ", beta " << lies.beta;
  return text.str();
}

extents shape_of_numbers(form written, std::span<const index_t> numbers) {
  extents e{1, 1, 1};
  for (std::size_t i = 0; i < std::strlen(written); ++i) {
    if (written[i] == 'm' || written[i] == 's') e.m = numbers[i];
    if (written[i] == 'n' || written[i] == 's') e.n = numbers[i];
    if (written[i] == 'k') e.k = numbers[i];
  }
  return e;
}

}  // namespace abax::perf
