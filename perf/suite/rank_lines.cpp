// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rank_lines.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>

#include "interruption.hpp"
#include "table.hpp"

namespace abax::perf {
namespace {

using json = nlohmann::json;

constexpr double start_limit = 60;   // seconds: until all ranks have reported in
constexpr double answer_limit = 60;  // and, once half of them are through with a step, for the others

// Who connects and is no rank.
constexpr std::size_t most_strangers = 256;      // the others wait in the system's queue
constexpr std::size_t most_greeting = 16 << 10;  // bytes
constexpr double greeting_limit = 10;            // seconds
constexpr std::size_t most_ranks = 100'000;      // as result files can hold

std::string end_text(const std::string& how, int number) {
  if (how == "exit") return "its worker ended with status " + std::to_string(number);
  return "its worker was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

}  // namespace

std::string member::name() const {
  std::string all = "rank " + std::to_string(place.rank) + " on " + place.host;
  if (const std::string gpu = place.line("GPU UUID"); !gpu.empty()) all += " (" + gpu.substr(0, gpu.find(',')) + ")";
  return all;
}

// Lines. All are waited for in one epoll, which tells of them in the order in which they came: so the rank that is
// heard to end first is the one that ended first, and not one of those that the launcher then ended, too.

void rank_lines::listen() {
  listening_ = channel(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof any;
  if (bind(listening_.fd(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
      ::listen(listening_.fd(), 4096) != 0 ||
      getsockname(listening_.fd(), reinterpret_cast<sockaddr*>(&any), &size) != 0)
    throw std::runtime_error(std::string("no socket for the ranks: ") + std::strerror(errno));
  poll_ = epoll_create1(EPOLL_CLOEXEC);
  hear(listening_);
  accepts_ = true;
  std::random_device random;
  char token[40];
  std::snprintf(token, sizeof token, "%08x%08x%08x", random(), random(), random());
  token_ = token;
  constexpr int starter = 3;  // rank 0's end, as abax-perf-mpi starts this process
  if (!channel(starter).send(std::to_string(ntohs(any.sin_port)) + " " + token_))
    throw std::runtime_error("abax-perf-mpi starts this part");
}

void rank_lines::hear(const channel& line) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = line.fd();
  epoll_ctl(poll_, EPOLL_CTL_ADD, line.fd(), &event);
}

void rank_lines::accept() {
  channel line(accept4(listening_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!line.open()) return;
  // A node that fails takes no leave.
  const int on = 1, idle = 5, interval = 5, count = 5, silence = 30'000;
  setsockopt(line.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(line.fd(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(line.fd(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(line.fd(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(line.fd(), IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
  setsockopt(line.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  hear(line);
  const int fd = line.fd();
  strangers_.emplace(fd, stranger{std::move(line)});
}

/// Nobody who only holds a line keeps a rank out, or this process' memory.
void rank_lines::limit_strangers() {
  std::erase_if(strangers_, [](const auto& s) { return s.second.here.seconds() > greeting_limit; });
  if (!listening_.open() || accepts_ == (strangers_.size() < most_strangers)) return;
  accepts_ = !accepts_;
  if (accepts_)
    hear(listening_);
  else
    epoll_ctl(poll_, EPOLL_CTL_DEL, listening_.fd(), nullptr);
}

/// Hears what comes within a while.
void rank_lines::pump() {
  require_going_on();
  epoll_event events[64];
  constexpr int milliseconds = 500;
  const int count = epoll_wait(poll_, events, 64, milliseconds);
  for (int i = 0; i < count; ++i) {
    const int fd = events[i].data.fd;
    if (fd == listening_.fd()) {
      accept();
    } else if (const auto stranger = strangers_.find(fd); stranger != strangers_.end()) {
      greet(stranger->second.line);
    } else if (const auto rank = rank_of_.find(fd); rank != rank_of_.end()) {
      hear_from(members_[rank->second]);
    }
    limit_strangers();
  }
  limit_strangers();
}

void rank_lines::greet(channel& line) {
  const int fd = line.fd();
  std::string text, verb, token;
  const bool open = line.receive();
  const bool whole = line.next(text);
  if (open && !whole && line.held() <= most_greeting) return;
  std::istringstream words(text);
  rank_place p{};
  std::size_t size = 0;
  words >> verb >> token >> p.rank >> size >> p.pid >> p.host >> p.cpus;
  std::getline(words >> std::ws, p.mpi);
  const bool known = whole && text.size() <= most_greeting && verb == "hello" && token == token_ && p.rank >= 0 &&
                     static_cast<std::size_t>(p.rank) < size && size <= most_ranks &&
                     (members_.empty() || size == members_.size());
  if (!known || (!members_.empty() && members_[static_cast<std::size_t>(p.rank)].line.open())) {
    strangers_.erase(fd);
    return;
  }
  if (members_.empty()) {
    members_.resize(size);
    for (std::size_t r = 0; r < size; ++r) members_[r].place.rank = static_cast<int>(r);
  }
  member& m = members_[static_cast<std::size_t>(p.rank)];
  m.place = p;
  m.line = std::move(line);
  rank_of_[fd] = static_cast<std::size_t>(p.rank);
  strangers_.erase(fd);
  while (m.line.next(text)) understand(m, text);
}

void rank_lines::hear_from(member& m) {
  const bool open = m.line.receive();
  std::string text;
  while (m.line.next(text)) understand(m, text);
  if (open) return;
  rank_of_.erase(m.line.fd());
  m.line.close();
  if (!m.gone) {
    m.gone = true;
    throw lost{m.name() + ", process " + std::to_string(m.place.pid),
               "it ended without a word: killed, or its node failed"};
  }
}

void rank_lines::understand(member& m, const std::string& text) {
  std::istringstream words(text);
  std::string verb, how;
  int number = 0;
  words >> verb;
  if (verb == "w") {
    understand(m, json::parse(text.substr(2)));
  } else if (verb == "gone") {
    words >> how >> number;
    if (!m.out && how == "signal" && number == SIGKILL) throw lost{m.name(), end_text(how, number)};
    if (!m.out) leave(m, end_text(how, number));
  } else if (verb == "link") {
    m.text = text.size() > 5 ? text.substr(5) : "";
    m.answered = true;
  } else if (verb == "pgemm") {
    m.lines.push_back(text.substr(6));
  } else if (verb == "interrupted") {
    words >> number;
    if (!dismissed_) throw interruption{number};
  } else if (verb == "bye") {
    m.gone = true;
  }
}

void rank_lines::understand(member& m, const json& message) {
  if (message.contains("ready")) m.ready = true;
  if (message.contains("context")) {
    m.place.context = message["context"].get<std::vector<std::pair<std::string, std::string>>>();
    std::erase_if(m.place.context, [](const auto& line) {  // what abax-perf-mpi has set
      return line.first.starts_with("ABAX_PERF_") && line.first != "ABAX_PERF_TEST";
    });
    m.steps = message["steps"].get<std::vector<std::pair<std::string, double>>>();
    m.fma_f32 = message["fma"][0];
    m.fma_f64 = message["fma"][1];
    m.free_memory = message["free"];
    m.answered = true;
  }
  if (message.contains("case")) {
    m.result = case_of(message["case"].dump());
    m.answered = true;
  }
  if (message.contains("nccl")) {
    m.text = message["nccl"];
    m.answered = true;
  }
  if (message.contains("failed")) {
    m.why = message["failed"];
    m.answered = true;
  }
  if (message.contains("refused")) {
    m.status = message["status"];
    leave(m, message["refused"]);
  }
  if (m.answered && m.turn == 0) m.turn = ++turns_;
}

void rank_lines::leave(member& m, const std::string& why) {
  m.out = true;
  m.turn = ++turns_;
  m.place.end = why;
  left_(m, why);
}

void rank_lines::meet() {
  const stopwatch watch;
  const auto missing = [&] {
    std::string list;
    for (std::size_t r = 0; r < members_.size(); ++r)
      if (!members_[r].line.open() && !members_[r].gone) list += (list.empty() ? "" : ", ") + std::to_string(r);
    return list;
  };
  while (members_.empty() || !missing().empty()) {
    if (watch.seconds() > start_limit) throw std::runtime_error("these ranks did not report in: " + missing());
    pump();
  }
  listening_.close();
  strangers_.clear();
}

members rank_lines::all() {
  members all;
  for (member& m : members_) all.push_back(&m);
  return all;
}

members rank_lines::present() {
  members all;
  for (member& m : members_)
    if (!m.out) all.push_back(&m);
  return all;
}

void rank_lines::tell(const members& who, const std::string& order) {
  for (member* const m : who) m->line.send(order);
}

void rank_lines::wait(const members& who, const std::function<bool(const member&)>& has, asked whom, double limit) {
  const stopwatch watch;
  for (;;) {
    const auto waiting = [&](const member* m) { return !(m->out && whom == asked::worker) && !has(*m); };
    const auto left = std::count_if(who.begin(), who.end(), waiting);
    if (left == 0) return;
    if (limit == 0 && 2 * left <= static_cast<std::ptrdiff_t>(who.size())) limit = answer_limit + 10 * watch.seconds();
    if (limit > 0 && watch.seconds() > limit) {
      const member* const late = *std::find_if(who.begin(), who.end(), waiting);
      throw lost{late->name(), "it has not answered for " + duration_text(watch.seconds())};
    }
    pump();
  }
}

void rank_lines::dismiss(int status, bool lost_one) {
  dismissed_ = true;
  const stopwatch watch;
  const auto absent = [](const member& m) { return !m.line.open(); };
  const bool abort = lost_one || std::any_of(members_.begin(), members_.end(), absent);
  for (member& m : members_)
    if (m.line.open()) m.line.send("stop " + std::to_string(status) + (abort ? " abort" : ""));
  constexpr double limit = 10;
  const auto here = [](const member& m) { return m.line.open() && !m.gone; };
  while (watch.seconds() < limit && std::any_of(members_.begin(), members_.end(), here)) try {
      pump();
    } catch (const lost&) {  // the launcher ends the others as well
    } catch (const interruption&) {
      return;
    }
}

}  // namespace abax::perf
