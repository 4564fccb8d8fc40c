// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The calls of the golden table, as its lines say them.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../peers/peers.hpp"

namespace abax::perf::golden {

/// One call. What is not a kernel's is 1, and "-" for `op`.
struct call {
  std::string kernel;       ///< "gemm", "transpose_in_place", ...
  std::string type;         ///< "f32", "f64", "c64", "c128"
  std::string op;           ///< triangle (gemmt, syrk, herk), then the operands' transpositions: "LNT"
  index_t m, n, k, items;   ///< an m x n result with k terms an element, of each item of a batch
  std::string alpha, beta;  ///< "0.625", or with an imaginary part "0.625,-0.25"
  std::string numbers;      ///< that the operands hold: see numbers.hpp
  std::uint64_t hash;       ///< of the result: see hash_of()
};

/// The calls of a table: a line each; lines that begin with # are comments. Throws where one is none.
std::vector<call> calls_of(const std::string& table);

/// The call's line, without its hash.
std::string text_of(const call& c);
/// "0123456789abcdef"
std::string hex(std::uint64_t bits, int digits = 16);

/// "(3, 4)"
std::string place_text(index_t i, index_t j);

/// How the operands of a call lie in memory, on which its bits do not depend.
enum class lay { columns, rows, gaps, strides };
inline constexpr std::array<const char*, 4> lay_names{"by columns", "by rows", "by columns with gaps", "with strides"};

/// What a call left.
struct outcome {
  std::vector<std::uint64_t> bits;  ///< of the result's real numbers, item after item, column after column
  std::uint64_t hash;               ///< of these
  bool strayed;                     ///< memory around its elements was written
};

/// Runs it.
outcome run(const call& c, lay lies, backend where);

}  // namespace abax::perf::golden
