// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the BLAS, and what they left.
enum { n = 500, few = 8 };
struct results {
  double product[n * n], small[few * few], turned[few * few], sum[few], dot;
};
extern struct results early;
void call_all(struct results* r);
