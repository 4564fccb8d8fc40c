// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The gatherer's lines to its ranks: who they are, what they say, what they are told, and which is lost.
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/channel.hpp"
#include "results.hpp"
#include "timing.hpp"

namespace abax::perf {

/// One rank, as it is heard of.
struct member {
  channel line;
  rank_place place{};
  bool out = false;   ///< takes part no longer
  bool gone = false;  ///< has taken its leave
  int status = 0;     ///< that its worker ended with where it refused
  double fma_f32 = 0, fma_f64 = 0;
  double free_memory = 0;  ///< bytes of its host; 0: not known
  std::vector<std::pair<std::string, double>> steps{};
  // What it has said since it was asked.
  bool ready = false, answered = false;
  int turn = 0;  ///< who answered before
  std::optional<case_result> result{};
  std::string text{}, why{};
  std::vector<std::string> lines{};

  void ask() {
    ready = answered = false;
    turn = 0;
    result.reset();
    text.clear();
    why.clear();
    lines.clear();
  }
  /// "rank 2 on node17 (GPU-...)"
  std::string name() const;
};

/// A rank that is no longer there: the run ends with it.
struct lost {
  std::string who, how;
};

using members = std::vector<member*>;

/// Who is waited for: workers that have ended are not; their ranks are still there.
enum class asked { worker, rank };

class rank_lines {
 public:
  /// `left` is told of each rank whose worker takes part no longer, and why.
  using departure = std::function<void(const member&, const std::string& why)>;

  explicit rank_lines(departure left) : left_(std::move(left)) {}

  /// From now on; where, is said to whom has started this process.
  void listen();

  const std::vector<member>& ranks() const { return members_; }
  members all();
  /// Those that still take part.
  members present();

  /// Until all ranks have reported in: from then on nobody else is listened to.
  void meet();
  static void tell(const members& who, const std::string& order);
  /// Until each of them has() what is waited for, or, where a worker is asked, is out. Where one takes far longer than
  /// half of the others did, or than `limit` in seconds, it is lost.
  void wait(const members& who, const std::function<bool(const member&)>& has, asked whom = asked::worker,
            double limit = 0);
  /// Sends all away, and sees them off. Where one is not there, none can wait for it at MPI's end.
  void dismiss(int status, bool lost_one);

 private:
  void hear(const channel& line) const;
  void accept();
  void limit_strangers();
  void pump();
  void greet(channel& line);
  void hear_from(member& m);
  void understand(member& m, const std::string& text);
  void understand(member& m, const nlohmann::json& message);
  void leave(member& m, const std::string& why);

  departure left_;
  channel listening_;
  int poll_ = -1;
  std::string token_;
  /// Who has connected and not yet said who it is.
  struct stranger {
    channel line;
    stopwatch here{};
  };
  std::map<int, stranger> strangers_;
  bool accepts_ = false;
  std::map<int, std::size_t> rank_of_;
  std::vector<member> members_;
  bool dismissed_ = false;
  int turns_ = 0;
};

}  // namespace abax::perf
