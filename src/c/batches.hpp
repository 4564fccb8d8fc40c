// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches whose matrices lie anywhere, also by rows, which abax.h has no argument for.
#include <cstdint>

#include "abax/abax.h"

namespace abax::c {

/// abax_?gemm_batched_at under the name `routine`. Matrices by rows are not exchanged and taken as transposed ones by
/// columns, because a complex term's products would come in another order.
template <class T>
abax_status gemm_batched_at(const char* routine, abax_stream* stream, bool by_rows, char trans_a, char trans_b,
                            std::int64_t items, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                            const T* const* a, std::int64_t lda, const T* const* b, std::int64_t ldb, T beta,
                            T* const* c, std::int64_t ldc);

}  // namespace abax::c
