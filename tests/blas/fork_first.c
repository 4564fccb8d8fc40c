// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children forked at any moment of their parent's first call, which another thread makes: each computes, and none waits
// for a thread that did not come along.
#include <abax/cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { n = 300, parents = 40, children = 12 };
static double A[n * n], B[n * n], want[n * n];  // small whole numbers: every order of summation gives the same

static int product_is_right(void) {
  double* const C = malloc(sizeof want);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
  const int right = memcmp(C, want, sizeof want) == 0;
  free(C);
  return right;
}
static void* first_call(void* result) {
  *(int*)result = product_is_right();
  return NULL;
}
static void pause_for(long nanoseconds) {
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, NULL);
}

// A process whose first call is under way while it forks. How many of it and its children failed.
static int failures(int seed) {
  pthread_t thread;
  pid_t child[children];
  int right = 0, failed = 0;
  srand((unsigned)seed);
  if (pthread_create(&thread, NULL, first_call, &right) != 0) return children + 1;
  for (int i = 0; i < children; ++i) {
    pause_for(rand() % 100000);
    child[i] = fork();
    if (child[i] == 0) {
      alarm(20);  // instead of waiting for ever
      _exit(!product_is_right());
    }
  }
  for (int i = 0; i < children; ++i) {
    int status;
    waitpid(child[i], &status, 0);
    failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  pthread_join(thread, NULL);
  return failed + !right;
}

int main(void) {
  for (int i = 0; i < n * n; ++i) {
    A[i] = i % 13 - 6;
    B[i] = i % 11 - 5;
  }
  for (int j = 0; j < n; ++j)
    for (int p = 0; p < n; ++p)
      for (int i = 0; i < n; ++i) want[i + j * n] += A[i + p * n] * B[p + j * n];
  int failed = 0;
  for (int seed = 0; seed < parents; ++seed) {
    const pid_t parent = fork();
    if (parent == 0) _exit(failures(seed));
    int status;
    waitpid(parent, &status, 0);
    failed += WIFEXITED(status) ? WEXITSTATUS(status) : children + 1;
  }
  printf("%d of %d processes failed\n", failed, parents * (children + 1));
  return failed != 0;
}
