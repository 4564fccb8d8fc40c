// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// refused c|blas: libabax_blas.so where memory or threads run out, by abax.h or as a BLAS.
#include <cstring>

#include "calls.hpp"

using namespace abax::tests::faults;

int main(int argc, char** argv) {
  const called interface = argc > 1 && std::strcmp(argv[1], "c") == 0 ? c_interface() : blas();
  return run(interface.trials, interface.how) ? 0 : 1;
}
