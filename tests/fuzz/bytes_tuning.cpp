// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax_fuzz_tuning: libFuzzer's bytes are a file that ABAX_TUNING might name.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tunings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  for (const std::string& file : {text, "abax tuning 1\n" + text}) {
    const std::string wrong = abax::tests::fuzz::tuning_fault(file);
    if (wrong.empty()) continue;
    std::fprintf(stderr, "FAILED: %s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
