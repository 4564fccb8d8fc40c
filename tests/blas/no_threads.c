// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// no_threads create|memory: calls where no thread can be made, because the system refuses one or the address space has
// no room for its stack.
#define _GNU_SOURCE
#include <abax/cblas.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { n = 300 };
static double A[n * n], B[n * n], C[n * n], small[64];
static int refuses;

// In the place of the system's.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  int (*system)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  *(void**)&system = dlsym(RTLD_NEXT, "pthread_create");
  return refuses ? EAGAIN : system(thread, attributes, start, argument);
}

// Room for a few megabytes more, less than a thread's stack.
static int limit_memory(void) {
  long pages = 0;
  FILE* const sizes = fopen("/proc/self/statm", "r");
  if (sizes == NULL || fscanf(sizes, "%ld", &pages) != 1) return 0;
  fclose(sizes);
  const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)6 << 20);
  const struct rlimit memory = {bytes, bytes}, stack = {(rlim_t)8 << 20, (rlim_t)8 << 20};
  return setrlimit(RLIMIT_STACK, &stack) == 0 && setrlimit(RLIMIT_AS, &memory) == 0;
}

int main(int argc, char** argv) {
  refuses = argc > 1 && strcmp(argv[1], "create") == 0;
  if (!refuses && !limit_memory()) return 2;
  for (int i = 0; i < n * n; ++i) A[i] = B[i] = i % 7 - 3;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 8, 8, 8, 1, A, 8, B, 8, 0, small, 8);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
  double sum = 0;
  for (int p = 0; p < n; ++p) sum += A[p * n] * B[p];
  printf("computed %s\n", C[0] == sum ? "right" : "wrong");
  return C[0] != sum;
}
