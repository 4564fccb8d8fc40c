// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The golden table on Kokkos' Serial space, which has no backend of its own: by the portable kernels, from headers
// alone.
#include <abax/templates.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "../perf/suite/verify/run_call.hpp"

int main(int argc, char** argv) {
#if defined(KOKKOS_ENABLE_SERIAL)
  namespace golden = abax::perf::golden;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::ostringstream table;
  table << file.rdbuf();
  int wrong = 0, runs = 0, left_out = 0;
  for (const golden::call& c : golden::calls_of(table.str())) {
    if (c.kernel == "gemm_integer") {  // run_call.hpp says why
      ++left_out;
      continue;
    }
    for (std::size_t lies = 0; lies < golden::lay_names.size(); ++lies, ++runs) {
      const golden::outcome found = golden::run_on(Kokkos::Serial(), c, static_cast<golden::lay>(lies));
      if (found.hash == c.hash && !found.strayed) continue;
      ++wrong;
      std::printf("%s, %s: found %s, expected %s%s\n", golden::text_of(c).c_str(), golden::lay_names[lies],
                  golden::hex(found.hash).c_str(), golden::hex(c.hash).c_str(),
                  found.strayed ? "; memory outside of the result was written" : "");
    }
  }
  std::printf("%d runs, %d differ; %d calls of gemm_integer left out\n", runs, wrong, left_out);
  return wrong == 0 && runs > 0 ? 0 : 1;
#else
  std::printf("skipped: this Kokkos has no Serial (%s)\n", argc > 1 ? argv[1] : argv[0]);
#endif
}
