// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What lies between the ranks: ping-pong through MPI from host memory, and through NCCL from GPU memory.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../results.hpp"

namespace abax::perf::ranks {

inline constexpr std::size_t short_message = 8, long_message = std::size_t(4) << 20;  // bytes

/// One rank's end of its links.
class wire {
 public:
  virtual ~wire() = default;
  virtual void begin(const std::vector<unsigned char>& message) = 0;
  virtual void send(int other, bool back) = 0;  ///< the message, or back what came
  virtual void receive(int other) = 0;
  virtual void wait() = 0;
  virtual std::vector<unsigned char> came() = 0;
};

/// Between those ranks that have a GPU of their own; all ranks call this, and those without get nothing. `note` becomes
/// NCCL's version, or why there are no such links. An error ends the job: the other end would wait for ever.
std::unique_ptr<wire> nccl_wire(const std::vector<int>& members, std::string& note);

/// Through `by`, between all pairs of up to eight of `members` one by one; of more those at distance 1, 2, 4, ..., as
/// many at a time as have no rank in common. All ranks call this (`w`: MPI where it is null), and get all links.
/// goes_on(seconds) says, on all ranks alike, whether there is time for so many more.
std::vector<link_result> measure_links(const std::string& by, wire* w, const std::vector<int>& members,
                                       const std::vector<rank_place>& places,
                                       const std::function<bool(double seconds)>& goes_on);

}  // namespace abax::perf::ranks
