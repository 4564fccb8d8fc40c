// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One drawn call on this rank: run, repeated, and compared with itself, with the scalar reference, and with what all
/// other backends and ranks have.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../sensors.hpp"
#include "drawn.hpp"
#include "findings.hpp"

namespace abax::perf::verify {

class repeated {
 public:
  using reporter = std::function<void(backend where, sample_clock::time_point since, difference)>;

  repeated(drawn_call call, reporter report) : call_(std::move(call)), report_(std::move(report)) {}

  /// Runs it on this rank, a large one for so many seconds.
  void run(double seconds, const std::function<void(const work_done&)>& done);
  /// To be called by all ranks, after run() on all.
  void compare() const;

 private:
  struct part {
    backend where;
    std::unique_ptr<workload> work;
    std::uint64_t checksum;  // of the result that counts as right
    int set = 0;             // which has it
  };

  void check(part& p, const verdict& v, sample_clock::time_point since) const;
  void locate(part& p, int set, std::uint64_t found, sample_clock::time_point since) const;
  difference begun(backend where, const char* beside) const;

  drawn_call call_;
  reporter report_;
  std::vector<part> parts_;
};

}  // namespace abax::perf::verify
