// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The golden table by the oracle: `abax_golden FILE` computes every call of the table anew, in reference.hpp's scalar
// loops, and compares the hashes; `abax_golden FILE record` writes the table, whole or not at all.
#include <abax/version.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../perf/suite/results.hpp"
#include "../perf/suite/verify/call.hpp"
#include "../perf/suite/verify/numbers.hpp"
#include "integer_complex_reference.hpp"

namespace {

namespace golden = abax::perf::golden;
namespace reference = abax::reference;
using golden::call, golden::has_parts, golden::real_t;
using reference::index_t, reference::matrix;

// ---------------------------------------------------------------------------------------------------------------------
// One call by the oracle.

template <class T>
class computed {
 public:
  explicit computed(const call& c)
      : c_(c),
        numbers_(golden::kind_of(c.numbers)),
        alpha_(golden::scale<T>(c.alpha)),
        beta_(golden::scale<T>(c.beta)) {}

  std::uint64_t hash() {
    const bool batch = c_.kernel == "gemm_batched" || c_.kernel == "gemv_batched";
    for (index_t item = 0; item < (batch ? c_.items : 1); ++item) append(item);
    return golden::hash_of(bits_);
  }

 private:
  char op(std::size_t i) const { return c_.op.at(i); }
  bool is(const char* name) const { return c_.kernel == name; }

  matrix<T> operand(int number, index_t rows, index_t cols, index_t item = 0) const {
    matrix<T> x(rows, cols);
    for (index_t e = 0; e < rows * cols; ++e)
      x.elements.at(e) = golden::element<T>(numbers_, number, item * rows * cols + e);
    return x;
  }
  matrix<T> taken(int number, char trans, index_t rows, index_t cols, index_t item = 0) const {
    return trans == 'N' ? operand(number, rows, cols, item) : operand(number, cols, rows, item);
  }
  /// What is read unless beta is 0.
  matrix<T> updated(index_t rows, index_t cols, index_t item = 0) const {
    if (beta_ == T(0)) return matrix<T>(rows, cols, golden::unread_element<T>());
    return operand(3, rows, cols, item);
  }
  matrix<T> vector() const { return operand(1, c_.k, 1); }

  void append(index_t item) {
    if (is("gemm") || is("gemm_batched"))
      return keep(gemm(op(0), op(1), alpha_, taken(1, op(0), c_.m, c_.k, item), taken(2, op(1), c_.k, c_.n, item),
                       beta_, updated(c_.m, c_.n, item)));
    if (is("gemm_integer"))
      return keep(gemm_integer(op(0), op(1), alpha_, taken(1, op(0), c_.m, c_.k), taken(2, op(1), c_.k, c_.n), beta_,
                               updated(c_.m, c_.n)));
    if (is("gemv") || is("gemv_batched"))
      return keep(gemm(op(0), 'N', alpha_, taken(1, op(0), c_.m, c_.k, item), operand(2, c_.k, 1, item), beta_,
                       updated(c_.m, 1, item)));
    if (is("gemmt"))
      return keep(gemmt(op(0), op(1), op(2), alpha_, taken(1, op(1), c_.n, c_.k), taken(2, op(2), c_.k, c_.n), beta_,
                        updated(c_.n, c_.n)));
    if (is("syrk") || is("herk")) {
      const matrix<T> A = taken(1, op(1), c_.n, c_.k), C = updated(c_.n, c_.n);
      if constexpr (has_parts<T>)
        if (is("herk"))
          return keep(gemmt(op(0), op(1), op(1) == 'N' ? 'C' : 'N', T(alpha_.real()), A, A, T(beta_.real()), C, true));
      return keep(gemmt(op(0), op(1), op(1) == 'N' ? 'T' : 'N', alpha_, A, A, beta_, C));
    }
    if (is("transpose") || is("conjugate_transpose")) return keep(turned(operand(1, c_.n, c_.m)));
    if (is("transpose_in_place") || is("conjugate_transpose_in_place")) return keep(turned(operand(1, c_.m, c_.m)));
    if (is("dot") || is("dotc")) {
      if constexpr (has_parts<T>)
        return keep(reference::dot(vector(), operand(2, c_.k, 1), is("dotc")));
      else
        return keep(reference::dot(vector(), operand(2, c_.k, 1)));
    }
    if constexpr (!has_parts<T>)
      if (is("sum")) return keep(reference::sum(vector()));
    if (is("asum")) return keep(reference::asum(vector()));
    if (is("nrm2")) return keep(reference::nrm2(vector()));
    if (is("iamax")) return keep(reference::iamax(vector()));
    append_stream();
  }
  void append_stream() {
    const index_t count = c_.m * c_.n;
    const matrix<T> x = operand(1, count, 1);
    if (is("axpby")) return keep(axpby(alpha_, x, beta_, updated(count, 1)));
    if (is("scal")) return keep(axpby(alpha_, x, T(0), x));
    if (is("triad")) return keep(axpby(alpha_, x, T(1), operand(2, count, 1)));
    if (is("copy")) return keep(x);
    if (is("increment")) {
      matrix<T> result = x;
      for (T& e : result.elements) e = reference::one_nan(T(e + alpha_));
      return keep(result);
    }
    throw std::runtime_error("the oracle does not know " + golden::text_of(c_));
  }

  matrix<T> turned(const matrix<T>& A) const {
    if constexpr (has_parts<T>)
      return reference::transpose(A, c_.kernel.starts_with("conjugate"));
    else
      return reference::transpose(A);
  }
  template <class Value>
  void keep(const Value& value) {
    golden::append_bits(value, bits_);
  }
  void keep(const matrix<T>& all) {
    for (const T& e : all.elements) golden::append_bits(e, bits_);
  }

  const call& c_;
  golden::kind numbers_;
  T alpha_, beta_;
  std::vector<std::uint64_t> bits_;
};

std::uint64_t hash_of(const call& c) {
  if (c.type == "f32") return computed<float>(c).hash();
  if (c.type == "f64") return computed<double>(c).hash();
  if (c.type == "c64") return computed<Kokkos::complex<float>>(c).hash();
  if (c.type == "c128") return computed<Kokkos::complex<double>>(c).hash();
  throw std::runtime_error("no such type: " + c.type);
}

// ---------------------------------------------------------------------------------------------------------------------
// The calls that the table has. Shapes, transpositions, scales and kinds of numbers are taken in turn; the lists'
// lengths have no common divisors with those of others, so that all meet.

struct sizes {
  index_t m, n, k;
};
/// Nothing, one, primes, edges of tiles and one past them, terms up to a block of the canon's and past it.
constexpr sizes products[] = {
    {0, 5, 7},      {5, 0, 7},      {5, 7, 0},      {1, 1, 1},      {1, 1, 2049},   {2, 3, 4},
    {7, 13, 31},    {8, 8, 8},      {16, 16, 16},   {17, 15, 33},   {31, 1, 61},    {1, 37, 61},
    {32, 32, 32},   {48, 24, 512},  {64, 64, 64},   {65, 63, 127},  {61, 67, 71},   {100, 100, 10},
    {128, 128, 16}, {129, 127, 9},  {257, 129, 8},  {130, 258, 3},  {13, 11, 1023}, {12, 20, 1024},
    {11, 9, 1025},  {33, 17, 2047}, {16, 16, 2048}, {17, 19, 2049}, {5, 3, 4097},   {3, 8, 6151},
    {300, 4, 17},   {4, 300, 17},   {96, 192, 65},  {511, 2, 40},   {2, 509, 40},   {64, 48, 700}};
constexpr sizes integers[] = {{0, 5, 7},      {5, 0, 7},     {5, 7, 0},     {1, 1, 1},      {7, 13, 31},
                              {16, 16, 64},   {33, 17, 129}, {65, 63, 127}, {129, 40, 300}, {40, 257, 65},
                              {12, 20, 1025}, {5, 3, 4097},  {31, 1, 61}};
constexpr sizes vectors[] = {{0, 1, 9},      {9, 1, 0},     {1, 1, 1},     {1, 1, 2049},   {7, 1, 5},
                             {64, 1, 64},    {61, 1, 127},  {128, 1, 129}, {1000, 1, 3},   {3, 1, 10007},
                             {257, 1, 1024}, {16, 1, 2048}, {17, 1, 2047}, {130, 1, 4099}, {2049, 1, 33},
                             {33, 1, 1025},  {509, 1, 511}, {4, 1, 20000}};
constexpr sizes triangles[] = {{0, 0, 4},      {4, 4, 0},      {1, 1, 1},      {2, 2, 2049},  {7, 7, 5},
                               {16, 16, 16},   {33, 33, 65},   {64, 64, 40},   {65, 65, 129}, {31, 31, 1025},
                               {17, 17, 2048}, {129, 129, 11}, {19, 19, 4099}, {70, 70, 30}};
constexpr sizes squares[] = {{0, 0, 1},   {1, 1, 1},   {2, 2, 1},   {16, 16, 1},
                             {31, 31, 1}, {64, 64, 1}, {67, 67, 1}, {130, 130, 1}};
constexpr sizes matrices[] = {{0, 3, 1},   {3, 0, 1},   {1, 1, 1},    {1, 50, 1},   {50, 1, 1},
                              {16, 16, 1}, {33, 31, 1}, {64, 128, 1}, {127, 65, 1}, {257, 100, 1}};
constexpr sizes terms[] = {{1, 1, 0},    {1, 1, 1},    {1, 1, 2},    {1, 1, 63},   {1, 1, 65},    {1, 1, 512},
                           {1, 1, 1023}, {1, 1, 1024}, {1, 1, 1025}, {1, 1, 4099}, {1, 1, 60001}, {1, 1, 1049601}};
constexpr sizes lengths[] = {{0, 1, 1},   {1, 1, 1},   {2, 1, 1},    {7, 1, 1},     {31, 1, 1},  {64, 1, 1},
                             {127, 1, 1}, {257, 1, 1}, {1000, 1, 1}, {10007, 1, 1}, {13, 17, 1}, {64, 65, 1}};
constexpr index_t batches[] = {1, 2, 33, 7, 64, 0, 130};
constexpr sizes small[] = {{1, 1, 1}, {2, 2, 2},    {4, 4, 4},    {5, 5, 5},    {8, 8, 8},   {7, 3, 0},
                           {3, 9, 5}, {16, 16, 16}, {17, 12, 33}, {32, 32, 24}, {5, 4, 2049}};
constexpr const char* kinds[] = {"unit", "wide", "unit", "special", "zeros", "tiny", "huge"};
constexpr const char *real_alphas[] = {"1", "0.625", "-1", "0", "1"}, *real_betas[] = {"0", "1", "-0.75", "0"};
constexpr const char *complex_alphas[] = {"1", "0.625,-0.25", "0,1", "0", "-1"},
                     *complex_betas[] = {"0", "1", "-0.75,0.5", "0"};

class enumeration {
 public:
  std::vector<call> all;

  enumeration(const char* type, std::size_t number) : type_(type), complex_(type[0] == 'c'), own_turn_(number) {
    const std::vector<const char*> two = complex_ ? ops("NN NT TN TT NC CN CC TC CT") : ops("NN NT TN TT");
    const std::vector<const char*> one = complex_ ? ops("N T C") : ops("N T");
    add("gemm", two, products, 36, true, true);
    add("gemv", one, vectors, 18, true, true);
    add("gemmt", complex_ ? ops("LNN UTN LNC UCT") : ops("LNN UTN LNT UTT"), triangles, 14, true, true);
    add("syrk", ops("LN UT LT UN"), triangles, 14, true, true);
    if (complex_) add("herk", ops("LN UC LC UN"), triangles, 14, true, true);
    add("gemm_batched", two, small, 11, true, true);
    add("gemv_batched", one, small, 11, true, true);
    add("transpose", {"-"}, matrices, 10);
    add("transpose_in_place", {"-"}, squares, 8);
    if (complex_) {
      add("conjugate_transpose", {"-"}, matrices, 10);
      add("conjugate_transpose_in_place", {"-"}, squares, 8);
      add("dotc", {"-"}, terms, 11);
    } else {
      add("sum", {"-"}, terms, 12);
    }
    add("dot", {"-"}, terms, 12);
    for (const char* const name : {"asum", "nrm2", "iamax"}) add(name, {"-"}, terms, 11);
    add("axpby", {"-"}, lengths, 12, true, true);
    add("scal", {"-"}, lengths, 12, true);
    add("triad", {"-"}, lengths, 12, true);
    add("copy", {"-"}, lengths, 12);
    add("increment", {"-"}, std::vector<sizes>(lengths, lengths + 10), 10, true);
    add("gemm_integer", two, integers, 13, true, true);
  }

 private:
  std::vector<const char*> ops(const char* words) {
    std::istringstream text(words);
    std::vector<const char*> found;
    for (std::string word; text >> word;) found.push_back(words_.insert({word, ""}).first->first.c_str());
    return found;
  }

  template <class Sizes>
  void add(const char* kernel, const std::vector<const char*>& ops, const Sizes& shapes, int count, bool alpha = false,
           bool beta = false) {
    const auto any = [](const auto& list, std::size_t i) { return std::begin(list)[i % std::size(list)]; };
    const bool batched = std::string(kernel).ends_with("batched");
    for (int number = 0; number < count; ++number) {
      const auto i = static_cast<std::size_t>(number);
      const std::size_t turn = turn_++;
      sizes s = any(shapes, i);
      if (std::string(kernel) == "gemv_batched") s.n = 1;
      const char* const op = any(ops, i + i / ops.size() + own_turn_);  // others for a type's shapes than another's
      call c{kernel, type_, op, s.m, s.n, s.k, batched ? any(batches, i) : 1, "1", "1", any(kinds, turn), 0};
      const bool complex = complex_ && c.kernel != "herk";
      if (alpha) c.alpha = complex ? any(complex_alphas, turn) : any(real_alphas, turn);
      if (beta) c.beta = complex ? any(complex_betas, i / 2) : any(real_betas, i / 2);
      all.push_back(c);
    }
  }

  const char* type_;
  bool complex_;
  std::size_t own_turn_, turn_ = own_turn_;
  std::map<std::string, std::string> words_;
};

void record(const std::string& path) {
  std::ostringstream table;
  table << "# Golden hashes of canon " << ABAX_CANON_VERSION
        << " (docs/verify.md), written by `abax_golden FILE record`: kernel, type, "
           "operations,\n"
           "# m, n, k, items, alpha, beta, numbers, hash.\n";
  std::size_t number = 0;
  for (const char* const type : {"f32", "f64", "c64", "c128"})
    for (const call& c : enumeration(type, number++).all)
      table << golden::text_of(c) << ' ' << golden::hex(hash_of(c)) << '\n';
  abax::perf::write_whole(path, table.str());
}

bool check(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!(text << file.rdbuf())) throw std::runtime_error("cannot read " + path);
  int wrong = 0;
  const std::vector<call> calls = golden::calls_of(text.str());
  std::map<std::string, int> of_kernel;
  for (const call& c : calls) {
    ++of_kernel[c.kernel];
    if (const std::uint64_t found = hash_of(c); found != c.hash) {
      ++wrong;
      std::printf("%s: the table has %s, the oracle %s\n", golden::text_of(c).c_str(), golden::hex(c.hash).c_str(),
                  golden::hex(found).c_str());
    }
  }
  std::printf("%zu calls of %zu kernels, %d differ\n", calls.size(), of_kernel.size(), wrong);
  return wrong == 0 && !calls.empty();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string(argv[2]) == "record") {
      record(argv[1]);
      return 0;
    }
    if (argc == 2) return check(argv[1]) ? 0 : 1;
    std::fprintf(stderr, "usage: abax_golden FILE [record]\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abax_golden: %s\n", error.what());
  }
  return 2;
}
