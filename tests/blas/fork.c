// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children of a process that has not called the BLAS yet, and of one that has: each computes, with its parent's bits.
#include <abax/cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { n = 300 };
static double A[n * n], B[n * n], C[n * n], want[n * n];

static void product(double* out) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, out, n);
}

// The product by a child, which writes it to its parent.
static int child_computes(const char* when) {
  int ends[2], status;
  if (pipe(ends) != 0) return 0;
  fflush(stdout);  // or the child would write it again
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // instead of waiting for threads that are not there
    product(C);
    const char* at = (const char*)C;
    for (size_t left = sizeof C; left > 0;) {
      const ssize_t written = write(ends[1], at, left);
      if (written <= 0) _exit(1);
      at += written;
      left -= (size_t)written;
    }
    exit(0);  // by way of what libraries do at the end
  }
  close(ends[1]);
  size_t got = 0;
  for (ssize_t more; (more = read(ends[0], (char*)C + got, sizeof C - got)) > 0;) got += (size_t)more;
  close(ends[0]);
  waitpid(child, &status, 0);
  const int right = WIFEXITED(status) && WEXITSTATUS(status) == 0 && got == sizeof C;
  printf("%s: %s\n", when, right ? "computed" : "died");
  return right;
}

int main(void) {
  for (int i = 0; i < n * n; ++i) {
    A[i] = (double)rand() / RAND_MAX - 0.5;
    B[i] = (double)rand() / RAND_MAX - 0.5;
  }
  int right = child_computes("before the first call");
  product(want);
  right &= memcmp(C, want, sizeof C) == 0;
  memset(C, 0, sizeof C);
  right &= child_computes("after a call");
  right &= memcmp(C, want, sizeof C) == 0;
  product(C);
  right &= memcmp(C, want, sizeof C) == 0;
  return !right;
}
