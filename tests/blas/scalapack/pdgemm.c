// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C <- A B by ScaLAPACK on a grid of ranks, whose local products are the dgemm_ that the loader finds first: must be
// libabax_blas'. Prints a fingerprint of all of C's bits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
               int*);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
             const int*, const int*, const double*, const int*, const int*, const int*, const double*, double*,
             const int*, const int*, const int*);

static const int zero = 0, one = 1, block = 64;

// A block-cyclic matrix of numbers that only their place decides.
typedef struct {
  int desc[9], rows, cols;
  double* data;
} distributed;

static distributed make(int context, int m, int n, int prow, int pcol, int nprow, int npcol, int seed) {
  distributed d;
  d.rows = numroc_(&m, &block, &prow, &zero, &nprow);
  d.cols = numroc_(&n, &block, &pcol, &zero, &npcol);
  const int ld = d.rows > 0 ? d.rows : 1;
  int info;
  descinit_(d.desc, &m, &n, &block, &block, &zero, &zero, &context, &ld, &info);
  if (info != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  d.data = malloc(sizeof(double) * ld * (d.cols + 1));
  for (int j = 0; j < d.cols; ++j)
    for (int i = 0; i < d.rows; ++i) {
      const uint64_t gi = (uint64_t)(i / block * nprow + prow) * block + i % block;
      const uint64_t gj = (uint64_t)(j / block * npcol + pcol) * block + j % block;
      uint64_t z = (gi * 1000003 + gj) * 0x9E3779B97F4A7C15ull + seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      d.data[i + (size_t)j * ld] = (double)(int64_t)(z >> 11) / 4503599627370496.0 - 1;
    }
  return d;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, rank, context, nprow = 1, npcol, prow, pcol;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (nprow * nprow * 2 <= ranks) nprow *= 2;
  npcol = ranks / nprow;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", nprow, npcol);
  Cblacs_gridinfo(context, &nprow, &npcol, &prow, &pcol);

  Dl_info found;
  void* const dgemm = dlsym(RTLD_DEFAULT, "dgemm_");
  if (dgemm == NULL || !dladdr(dgemm, &found) || strstr(found.dli_fname, "libabax_blas") == NULL) {
    fprintf(stderr, "dgemm_ comes from %s\n", dgemm == NULL ? "nowhere" : found.dli_fname);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }

  const int m = 700, n = 450, k = 530;
  const double alpha = 1.5, beta = -0.5;
  const distributed a = make(context, m, k, prow, pcol, nprow, npcol, 1),
                    b = make(context, k, n, prow, pcol, nprow, npcol, 2),
                    c = make(context, m, n, prow, pcol, nprow, npcol, 3);
  pdgemm_("N", "N", &m, &n, &k, &alpha, a.data, &one, &one, a.desc, b.data, &one, &one, b.desc, &beta, c.data, &one,
          &one, c.desc);

  uint64_t hash = 1469598103934665603ull, sum = 0;  // FNV-1a over this rank's share
  for (size_t i = 0; i < sizeof(double) * c.rows * c.cols; ++i)
    hash = (hash ^ ((const unsigned char*)c.data)[i]) * 1099511628211ull;
  hash *= 2 * (uint64_t)rank + 1;
  MPI_Reduce(&hash, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %016llx\n", ranks, (unsigned long long)sum);
  free(a.data);
  free(b.data);
  free(c.data);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return 0;
}
