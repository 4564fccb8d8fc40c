// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows.
#include "kernels.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "workloads.hpp"

namespace abax::perf {
namespace {

using sizes = std::array<index_t, 3>;

}  // namespace

const form product_form{3,
                        [](const extents& e) {
                          return sizes{e.m, e.n, e.k};
                        },
                        [](const sizes& s) {
                          return extents{s[0], s[1], s[2]};
                        }};
const form stored_n{2,
                    [](const extents& e) {
                      return sizes{e.m, e.k, 1};
                    },
                    [](const sizes& s) {
                      return extents{s[0], 1, s[1]};
                    }};
const form stored_t{2,
                    [](const extents& e) {
                      return sizes{e.k, e.m, 1};
                    },
                    [](const sizes& s) {
                      return extents{s[1], 1, s[0]};
                    }};
const form matrix_form{2,
                       [](const extents& e) {
                         return sizes{e.m, e.n, 1};
                       },
                       [](const sizes& s) {
                         return extents{s[0], s[1], 1};
                       }};
const form square_form{1,
                       [](const extents& e) {
                         return sizes{e.m, 1, 1};
                       },
                       [](const sizes& s) {
                         return extents{s[0], s[0], 1};
                       }};
const form vector_form{1,
                       [](const extents& e) {
                         return sizes{e.m, 1, 1};
                       },
                       [](const sizes& s) {
                         return extents{s[0], 1, 1};
                       }};
const form terms_form{1,
                      [](const extents& e) {
                        return sizes{e.k, 1, 1};
                      },
                      [](const sizes& s) {
                        return extents{1, 1, s[0]};
                      }};

namespace {

double none(const extents&) { return 0; }
double product_flops(const extents& e) { return 2.0 * e.m * e.n * e.k; }
double product_elements(const extents& e) { return 1.0 * e.m * e.k + 1.0 * e.k * e.n + 1.0 * e.m * e.n; }
double in_and_out(const extents& e) { return 2.0 * e.m * e.n; }
double two_in_one_out(const extents& e) { return 3.0 * e.m; }
double out(const extents& e) { return 1.0 * e.m; }
double two_in(const extents& e) { return 2.0 * e.k; }
double sums(const extents& e) { return 1.0 * e.m * e.n; }
double fmas(const extents& e) { return 2.0 * e.m; }

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
constexpr extents vector_host[] = {matrix(1024), matrix(4096), matrix(16384), {100000, 1, 64}, {64, 1, 100000}};
constexpr extents vector_device[] = {matrix(1024),      matrix(4096),      matrix(16384),
                                     matrix(32768),     {1000000, 1, 64},  {64, 1, 1000000},
                                     {1000000, 1, 100}, {100, 1, 1000000}, {4097, 1, 8191}};
constexpr extents dot_host[] = {{1, 1, 100000}, {1, 1, 10000000}};
constexpr extents dot_device[] = {{1, 1, 10000000}, {1, 1, 1 << 28}};
constexpr extents transpose_host[] = {square(1024), square(8192)};
constexpr extents transpose_device[] = {square(4096), square(8192), square(16384), {10007, 4099, 1}};
constexpr extents in_place_device[] = {square(4096), square(8192), square(16384), square(10007)};
constexpr extents launch_host[] = {{1, 1, 1}, {2, 1, 1}};
constexpr extents launch_device[] = {{1, 1, 1}, {1024, 1, 1}};
constexpr extents stream_host[] = {{1 << 26, 1, 1}};
constexpr extents stream_device[] = {{1 << 28, 1, 1}};

template <template <class, class> class Kernel, class T>
constexpr kernel product_row(const char* name, std::span<const extents> host, std::span<const extents> device) {
  return row<Kernel, T>(name, roof::fma, product_elements, product_flops, &product_form, host, device);
}
template <template <class, class> class Kernel, class T>
constexpr kernel vector_row(const char* name, const form* written) {
  return row<Kernel, T>(name, roof::read, product_elements, product_flops, written, vector_host, vector_device);
}
template <class T>
constexpr kernel dot_row() {
  return row<dot_kernel, T>("dot", roof::read, two_in, product_flops, &terms_form, dot_host, dot_device);
}
template <template <class, class> class Kernel, class T>
constexpr kernel moving_row(const char* name, roof bound, const form* written, double (*elements)(const extents&),
                            double (*flops)(const extents&), std::span<const extents> host,
                            std::span<const extents> device) {
  return row<Kernel, T>(name, bound, elements, flops, written, host, device);
}

constexpr kernel rows[] = {
    product_row<gemm_nn, float>("gemm NN", product_nn_host, product_nn_device),
    product_row<gemm_nt, float>("gemm NT", product_host, product_device),
    product_row<gemm_tn, float>("gemm TN", product_host, product_device),
    product_row<gemm_tt, float>("gemm TT", product_host, product_device),
    product_row<gemm_nn, double>("gemm NN", product_nn_host, product_nn_device),
    product_row<gemm_nt, double>("gemm NT", product_host, product_device),
    product_row<gemm_tn, double>("gemm TN", product_host, product_device),
    product_row<gemm_tt, double>("gemm TT", product_host, product_device),
    vector_row<gemv_n, float>("gemv N", &stored_n),
    vector_row<gemv_t, float>("gemv T", &stored_t),
    vector_row<gemv_n, double>("gemv N", &stored_n),
    vector_row<gemv_t, double>("gemv T", &stored_t),
    dot_row<float>(),
    dot_row<double>(),
    moving_row<transpose_kernel, float>("transpose", roof::copy, &matrix_form, in_and_out, none, transpose_host,
                                        transpose_device),
    moving_row<transpose_kernel, double>("transpose", roof::copy, &matrix_form, in_and_out, none, transpose_host,
                                         transpose_device),
    moving_row<transpose_in_place_kernel, float>("transpose in place", roof::update, &square_form, in_and_out, none,
                                                 transpose_host, in_place_device),
    moving_row<transpose_in_place_kernel, double>("transpose in place", roof::update, &square_form, in_and_out, none,
                                                  transpose_host, in_place_device),
    moving_row<copy_kernel, float>("copy", roof::copy, &vector_form, in_and_out, none, stream_host, stream_device),
    moving_row<triad_kernel, double>("triad", roof::combine, &vector_form, two_in_one_out, fmas, stream_host,
                                     stream_device),
    moving_row<increment_kernel, float>("increment", roof::update, &vector_form, in_and_out, sums, stream_host,
                                        stream_device),
    moving_row<launch_by_policy, float>("launch policy", roof::copy, &vector_form, out, none, launch_host,
                                        launch_device),
    moving_row<launch_of_own, float>("launch own", roof::copy, &vector_form, out, none, launch_host, launch_device),
};

std::vector<kernel>& table() {
  static std::vector<kernel> all(std::begin(rows), std::end(rows));
  return all;
}

}  // namespace

std::span<const kernel> kernels() { return table(); }

bool add_kernel(const kernel& row) {
  const auto same = [&](const kernel& k) {
    return std::string_view(k.name) == row.name && std::string_view(k.type) == row.type;
  };
  const auto there = std::find_if(table().begin(), table().end(), same);
  if (there == table().end())
    table().push_back(row);
  else
    *there = row;
  return true;
}

std::string form::text(const extents& e) const {
  const std::array<index_t, 3> all = numbers(e);
  std::string joined;
  for (int i = 0; i < count; ++i) joined += (i > 0 ? " x " : "") + std::to_string(all[i]);
  return joined;
}

}  // namespace abax::perf
