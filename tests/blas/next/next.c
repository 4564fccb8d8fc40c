// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// next LIBRARY: a libabax_blas.so that leads on to another BLAS. A program finds the other's routines in it, and Abax'
// own before the other's.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return puts("no library"), 1;
  double (*dznrm2)(const int*, const double*, const int*),
      (*dot)(const int*, const double*, const int*, const double*, const int*);
  *(void**)&dznrm2 = dlsym(library, "dznrm2_");
  *(void**)&dot = dlsym(library, "ddot_");
  if (dznrm2 == NULL || dot == NULL) return puts("no routine"), 1;
  const int n = 3, one = 1;
  const double x[3] = {1, 2, 3};
  printf("dznrm2 %g, ddot %g\n", dznrm2(&n, x, &one), dot(&n, x, &one, x, &one));
  return dznrm2(&n, x, &one) != 5 || dot(&n, x, &one, x, &one) != 14;
}
