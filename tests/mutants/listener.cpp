// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells which mutants each test case meets and how long it takes (mutants.py).
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include "mutants.hpp"

namespace {

class listener : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo&) override { start_ = abax_mutants::now(); }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (abax_mutants::number != 0) abax_mutants::tell(stats.testInfo->name.c_str(), abax_mutants::now() - start_, true);
  }

 private:
  double start_ = 0;
};

}  // namespace

CATCH_REGISTER_LISTENER(listener)
