// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// next LIBRARY: a libabax_blas.so that leads on to another BLAS. A program finds the other's routines in it, and Abax'
// own before the other's.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return puts("no library"), 1;
  double (*dsdot)(const int*, const float*, const int*, const float*, const int*),
      (*dot)(const int*, const double*, const int*, const double*, const int*),
      (*dznrm2)(const int*, const double*, const int*);
  *(void**)&dsdot = dlsym(library, "dsdot_");
  *(void**)&dot = dlsym(library, "ddot_");
  *(void**)&dznrm2 = dlsym(library, "dznrm2_");
  if (dsdot == NULL || dot == NULL || dznrm2 == NULL) return puts("no routine"), 1;
  const int n = 3, one = 1;
  const float single[3] = {1, 2, 3};
  const double x[3] = {1, 2, 3}, z[6] = {3, 4, 0, 0, 12, 0};
  const double of_other = dsdot(&n, single, &one, single, &one), product = dot(&n, x, &one, x, &one),
               norm = dznrm2(&n, z, &one);
  printf("dsdot %g, ddot %g, dznrm2 %g\n", of_other, product, norm);
  return of_other != 7 || product != 14 || norm != 13;
}
