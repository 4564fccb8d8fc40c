// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unload LIBRARY: libabax_blas.so is loaded, called and closed again, many times, while OpenMP's threads that it
// started go on: by a thread that ends before it is closed, by one that ends afterwards, and by the first.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { n = 200, turns = 30, col_major = 102, no_trans = 111 };
static double A[n * n], B[n * n], want[n * n];
typedef void gemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);

static gemm* product;
static pthread_barrier_t called, closed;
static int waits;

static void* call(void* C) {
  product(col_major, no_trans, no_trans, n, n, n, 1, A, n, B, n, 0, C, n);
  product(col_major, no_trans, no_trans, 8, 8, 8, 1, A, n, B, n, 0, C, n);
  if (waits) {
    pthread_barrier_wait(&called);
    pthread_barrier_wait(&closed);
  }
  return C;
}

int main(int argc, char** argv) {
  double* const C = malloc(sizeof want);
  if (argc < 2 || C == NULL) return 2;
  for (int i = 0; i < n * n; ++i) {
    A[i] = (double)rand() / RAND_MAX - 0.5;
    B[i] = (double)rand() / RAND_MAX - 0.5;
  }
  pthread_barrier_init(&called, NULL, 2);
  pthread_barrier_init(&closed, NULL, 2);
  for (int turn = 0; turn < turns; ++turn) {
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
    *(void**)&product = dlsym(library, "cblas_dgemm");
    pthread_t thread;
    waits = turn % 2;
    memset(C, 0, sizeof want);
    if (turn == turns - 1) waits = 0, call(C);
    if (pthread_create(&thread, NULL, call, C) != 0) return 2;
    if (waits) pthread_barrier_wait(&called);
    if (!waits) pthread_join(thread, NULL);
    dlclose(library);
    usleep(2000);  // OpenMP's threads wait by spinning
    if (waits) pthread_barrier_wait(&closed);
    if (waits) pthread_join(thread, NULL);
    if (turn == 0) memcpy(want, C, sizeof want);
    if (memcmp(C, want, sizeof want) != 0) return printf("turn %d: other bits\n", turn), 1;
  }
  printf("%d times loaded, called and closed\n", turns);
  free(C);
  return 0;
}
