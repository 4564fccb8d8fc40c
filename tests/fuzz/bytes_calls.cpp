// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax_fuzz_calls: libFuzzer's bytes name a call. Files as arguments are such bytes, whose calls are told in words.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "calls.hpp"

namespace {

using namespace abax::tests;

std::unique_ptr<fuzz::caller> made_by;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  bool tells = false;
  for (int i = 1; i < *argc; ++i) tells = tells || std::filesystem::is_regular_file((*argv)[i]);
  made_by = std::make_unique<fuzz::caller>(true, tells);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::choices choose(data, size);
  const std::string wrong = made_by->call(choose);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "FAILED: %s\n", wrong.c_str());
  std::abort();
}
