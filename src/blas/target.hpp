// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where calls of the BLAS compute: what ABAX_BLAS_BACKEND says.

namespace abax::blas {

enum class target {
  automatic,  ///< operands in a device's memory there; others there where it pays, else on the host
  host,       ///< always on the host: pointers are not looked at, all must be the host's
  device      ///< always on the device
};

/// `word` is what the variable says (null: nothing), `has_device` whether there is one to compute on. An automatic
/// choice without a device is the host's. Throws std::runtime_error for another word, and for a device that there is
/// not.
target target_of(const char* word, bool has_device);

/// The least number of terms, m n k, of which a gemm is computed by way of integers: `word` is what ABAX_BLAS_INTEGER
/// says, a size n that stands for n^3 terms, 1 for all products, 0 or nothing (null) for none, which is the largest
/// number. Throws std::runtime_error for any other word.
double least_integer_terms(const char* word);

/// The same of the variable, read at the first call. Ends the program, saying why, where it says anything else.
double chosen_integer_terms();

/// The variable's, read at the first call. Ends the program, saying why, where it asks for what there is not.
target chosen_target();

}  // namespace abax::blas
