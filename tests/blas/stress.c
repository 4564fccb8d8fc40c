// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stress THREADS SECONDS: host threads that call the BLAS at once, from its very first call on, with products small and
// large enough to be shared among cores. All must have the same bits.
#include <abax/cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kinds = 4, largest = 192 };
static const int sizes[kinds] = {3, 17, 64, largest};
static double A[largest * largest], B[largest * largest], want[kinds][largest * largest];
static atomic_int wrong, stop;
static atomic_llong calls;

static void product(int n, double* C) {
  memset(C, 0xFF, sizeof(double) * n * n);  // NaN: beta == 0 does not read it
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, 1.5, A, n, B, n, 0, C, n);
}

static pthread_barrier_t start, known;

static void* work(void* seed) {
  double* const C = malloc(sizeof(double) * largest * largest);
  const int first = seed == NULL;
  pthread_barrier_wait(&start);
  for (int kind = 0; first && kind < kinds; ++kind) product(sizes[kind], want[kind]);
  if (!first) product(largest, C);
  pthread_barrier_wait(&known);
  if (!first && memcmp(C, want[kinds - 1], sizeof(double) * largest * largest) != 0) ++wrong;
  for (unsigned turn = (unsigned)(size_t)seed; !stop; ++turn) {
    const int kind = (int)(turn % kinds), n = sizes[kind];
    product(n, C);
    if (memcmp(C, want[kind], sizeof(double) * n * n) != 0) ++wrong;
    ++calls;
  }
  free(C);
  return NULL;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 100, seconds = argc > 2 ? atoi(argv[2]) : 5;
  for (int i = 0; i < largest * largest; ++i) {
    A[i] = (double)rand() / RAND_MAX - 0.5;
    B[i] = (double)rand() / RAND_MAX - 0.5;
  }
  pthread_barrier_init(&start, NULL, (unsigned)count);
  pthread_barrier_init(&known, NULL, (unsigned)count + 1);
  pthread_t* const threads = malloc(sizeof(pthread_t) * count);
  for (int t = 0; t < count; ++t)
    if (pthread_create(&threads[t], NULL, work, (void*)(size_t)t) != 0) return 2;
  pthread_barrier_wait(&known);
  const struct timespec length = {seconds, 0};
  nanosleep(&length, NULL);
  stop = 1;
  for (int t = 0; t < count; ++t) pthread_join(threads[t], NULL);
  free(threads);
  printf("%d threads, %d s: %lld calls, %d wrong\n", count, seconds, (long long)calls, (int)wrong);
  return wrong != 0 || calls < count;
}
