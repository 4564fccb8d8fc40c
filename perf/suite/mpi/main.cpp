// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax-perf-mpi: one rank of `mpirun abax-perf run`. It measures nothing of a single node itself: that is done by an
// abax-perf beside it, its worker, whose end by a device's error is then no end of an MPI process. What all ranks
// found goes to one more abax-perf, the gatherer: rank 0 starts it, in a session of its own, so that it is still there
// to say which rank was lost when the launcher has ended all of them. Ranks and gatherer talk over TCP; MPI is for the
// gatherer's address and for what is measured between ranks. Needs nothing but MPI, so that it is built in seconds
// wherever there is one: mpicxx -std=c++20 *.cpp -rdynamic -ldl -o abax-perf-mpi
#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "channel.hpp"
#include "links.hpp"
#include "pgemm.hpp"

extern char** environ;

namespace {

using abax::perf::channel;

constexpr int cannot_run = 2;

int signals[2];  // what a signal is told through
volatile std::sig_atomic_t signal_came = 0;

extern "C" void heed(int signal) {
  if (signal_came != 0) _exit(128 + signal);
  signal_came = signal;
  const char byte = static_cast<char>(signal);
  if (write(signals[1], &byte, 1) < 0) _exit(128 + signal);
}

struct place {
  int rank, size, local, neighbours;
  std::string host;
};

place where_am_i() {
  place p{};
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.size);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, p.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &p.local);
  MPI_Comm_size(node, &p.neighbours);
  MPI_Comm_free(&node);
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  p.host = name;
  return p;
}

/// "0-3,8": the CPUs that the launcher left this rank.
std::string allowed_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "?";
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpu) + (last > cpu ? "-" + std::to_string(last) : "");
    cpu = last;
  }
  return text;
}

/// $ABAX_PERF, or abax-perf beside this program.
std::string abax_perf() {
  if (const char* const path = std::getenv("ABAX_PERF")) return path;
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  const std::string path(self, n > 0 ? static_cast<std::size_t>(n) : 0);
  return path.substr(0, path.rfind('/') + 1) + "abax-perf";
}

struct child {
  pid_t pid = -1;
  channel line;
};

/// abax-perf with the same arguments, in the part `part`, and with its end of a socket as file 3. Nothing of this
/// process' memory is copied, as MPI libraries want it.
child start(char** argv, const std::string& part, const place& p) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return child();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (ends[1] == 3) {  // then it would be closed on the way
    ends[1] = fcntl(ends[1], F_DUPFD_CLOEXEC, 4);
    close(3);
  }
  posix_spawn_file_actions_adddup2(&files, ends[1], 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (part == "gatherer") posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);

  std::vector<std::string> variables{"ABAX_PERF_PART=" + part, "ABAX_PERF_RANK=" + std::to_string(p.rank),
                                     "ABAX_PERF_LOCAL_RANK=" + std::to_string(p.local),
                                     "ABAX_PERF_NEIGHBOURS=" + std::to_string(p.neighbours)};
  std::vector<char*> environment;
  for (std::string& v : variables) environment.push_back(v.data());
  for (char** v = environ; *v != nullptr; ++v)
    if (std::strncmp(*v, "ABAX_PERF_PART=", 15) != 0) environment.push_back(*v);
  environment.push_back(nullptr);

  const std::string program = abax_perf();
  child c;
  const int error = posix_spawn(&c.pid, program.c_str(), &files, &attributes, argv, environment.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  c.line = channel(ends[0]);
  if (error != 0) {
    std::fprintf(stderr, "abax-perf-mpi: cannot start %s: %s\n", program.c_str(), std::strerror(error));
    c.pid = -1;
  }
  return c;
}

std::string end_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return "exit 0";
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit " + std::to_string(WEXITSTATUS(status));
}

std::vector<std::string> addresses() {
  std::vector<std::string> all;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return all;
  for (const ifaddrs* a = list; a != nullptr; a = a->ifa_next) {
    if (a->ifa_addr == nullptr || a->ifa_addr->sa_family != AF_INET || (a->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET_ADDRSTRLEN];
    const auto* const in = reinterpret_cast<const sockaddr_in*>(a->ifa_addr);
    if (inet_ntop(AF_INET, &in->sin_addr, text, sizeof text) != nullptr) all.emplace_back(text);
  }
  freeifaddrs(list);
  return all;
}

channel connect_to(const std::string& address, int port) {
  channel line(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) return channel();
  if (connect(line.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    if (errno != EINPROGRESS) return channel();
    pollfd wait{line.fd(), POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    constexpr int milliseconds = 5000;
    if (poll(&wait, 1, milliseconds) != 1 || getsockopt(line.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 ||
        error != 0)
      return channel();
  }
  fcntl(line.fd(), F_SETFL, fcntl(line.fd(), F_GETFL) & ~O_NONBLOCK);
  const int on = 1;
  setsockopt(line.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return line;
}

/// A device's driver may hold a process that was ended for as long as it likes.
void end_by_force(pid_t pid) {
  kill(pid, SIGKILL);
  constexpr int polls = 250;  // 5 s
  for (int i = 0; i < polls && waitpid(pid, nullptr, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

using teller = std::function<void(const std::string& line)>;

/// Tells the gatherer of a signal that came.
void tell_signal(const teller& tell) {
  char byte;
  if (read(signals[0], &byte, 1) == 1) tell("interrupted " + std::to_string(byte));
}

/// While MPI works, which cannot be interrupted: tells of signals, and ends this process where the gatherer is gone or
/// calls the end.
class watch {
 public:
  watch(const channel& gatherer, const teller& tell) : tell_(tell) {
    if (pipe(end_) != 0) return;
    thread_ = std::thread([this, fd = gatherer.fd()] { look(fd); });
  }
  ~watch() {
    if (!thread_.joinable()) return;
    close(end_[1]);
    thread_.join();
    close(end_[0]);
  }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;

 private:
  /// Another order may have come, for afterwards: it stays where it is.
  void look(int fd) const {
    for (;;) {
      pollfd wait[] = {{end_[0], POLLIN, 0}, {signals[0], POLLIN, 0}, {fd, POLLIN, 0}};
      if (poll(wait, 3, -1) < 0) continue;
      if (wait[0].revents != 0) return;
      if (wait[1].revents != 0) tell_signal(tell_);
      if (wait[2].revents == 0) continue;
      char order[32] = "";
      const ssize_t n = recv(fd, order, sizeof order - 1, MSG_PEEK | MSG_DONTWAIT);
      if (n == 0) _exit(cannot_run);
      if (int status = 0; std::strchr(order, '\n') != nullptr && std::sscanf(order, "stop %d", &status) == 1)
        _exit(status);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const teller& tell_;
  int end_[2] = {-1, -1};
  std::thread thread_;
};

struct ending {
  int status;
  bool abort;  ///< a rank or the gatherer is lost: MPI_Finalize would wait for it
};

/// What the gatherer asks of this rank, until it calls the end.
ending serve(channel& gatherer, child& worker, abax::perf::pgemm& product) {
  std::mutex one_line;  // at a time
  const teller tell = [&](const std::string& line) {
    const std::lock_guard lock(one_line);
    if (!gatherer.send(line)) _exit(cannot_run);
  };
  std::string line;
  for (;;) {
    pollfd wait[] = {{gatherer.fd(), POLLIN, 0}, {signals[0], POLLIN, 0}, {worker.line.fd(), POLLIN, 0}};
    if (poll(wait, 3, -1) < 0) continue;
    if (wait[1].revents != 0) tell_signal(tell);
    if (wait[2].revents != 0) {
      const bool alive = worker.line.receive();
      while (worker.line.next(line)) tell("w " + line);
      if (!alive) {
        worker.line.close();  // poll() passes over it from now on
        tell("gone " + end_of(worker.pid));
        worker.pid = -1;
      }
    }
    if (wait[0].revents == 0) continue;
    if (!gatherer.receive()) {
      std::fprintf(stderr, "abax-perf-mpi: the gathering process on rank 0's node is gone\n");
      return {cannot_run, true};
    }
    while (gatherer.next(line)) {
      std::istringstream words(line);
      std::string order;
      words >> order;
      if (order == "w") {
        if (worker.line.open()) worker.line.send(line.substr(2));
      } else if (order == "link") {
        int from = 0, to = 0, rank = 0;
        long long bytes = 0;
        words >> from >> to >> bytes;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::string samples;
        {
          const watch guard(gatherer, tell);
          samples = abax::perf::link_samples(from, to, bytes);
        }
        tell("link " + (rank == from ? samples : ""));  // both: the next order comes once no guard stands
      } else if (order == "pgemm") {
        {
          const watch guard(gatherer, tell);
          product.answer(line.substr(6), [&](const std::string& answer) { tell("pgemm " + answer); });
        }
        tell("pgemm end");  // the next order comes once no guard stands
      } else if (order == "stop") {
        int status = 0;
        std::string how;
        words >> status >> how;
        return {status, how == "abort"};
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "run") != 0) {
    std::fprintf(stderr,
                 "abax-perf-mpi: expected `run` and its options, as in `mpirun -n 4 abax-perf-mpi run --quick`; "
                 "everything else is abax-perf's\n");
    return cannot_run;
  }
  if (pipe(signals) != 0) return cannot_run;
  for (const int end : signals) fcntl(end, F_SETFD, FD_CLOEXEC);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = heed;
    sigaction(signal, &action, nullptr);
  }
  const place here = where_am_i();

  // "port token address address ...", or "end STATUS" where the gatherer has refused.
  char contact[4096] = "";
  child gatherer_process;
  if (here.rank == 0) {
    gatherer_process = start(argv, "gatherer", here);
    std::string line;
    if (gatherer_process.pid > 0 && gatherer_process.line.wait(line)) {
      line += " " + here.host;
      for (const std::string& a : addresses()) line += " " + a;
    } else if (gatherer_process.pid > 0) {
      std::istringstream end(end_of(gatherer_process.pid));
      std::string how;
      int status = cannot_run;
      end >> how >> status;
      line = "end " + std::to_string(how == "exit" ? status : cannot_run);
    } else {
      line = "end " + std::to_string(cannot_run);
    }
    std::strncpy(contact, line.c_str(), sizeof contact - 1);
  }
  MPI_Bcast(contact, sizeof contact, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::istringstream words(contact);
  std::string port, token, host, address;
  words >> port >> token >> host;
  if (port == "end") {
    MPI_Finalize();
    return here.rank == 0 ? std::atoi(token.c_str()) : 0;
  }
  channel gatherer;
  if (host == here.host) gatherer = connect_to("127.0.0.1", std::atoi(port.c_str()));
  std::string tried;
  while (!gatherer.open() && words >> address) {
    gatherer = connect_to(address, std::atoi(port.c_str()));
    tried += " " + address;
  }
  if (!gatherer.open()) {
    std::fprintf(stderr, "abax-perf-mpi: rank %d on %s cannot reach rank 0's node, port %s of%s\n", here.rank,
                 here.host.c_str(), port.c_str(), tried.c_str());
    MPI_Abort(MPI_COMM_WORLD, cannot_run);
  }
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  mpi[std::strcspn(mpi, "\n\r\t")] = 0;
  gatherer.send("hello " + token + " " + std::to_string(here.rank) + " " + std::to_string(here.size) + " " +
                std::to_string(getpid()) + " " + here.host + " " + allowed_cpus() + " " + mpi);

  child worker = start(argv, "worker", here);
  if (worker.pid < 0) {
    worker.line.close();
    gatherer.send("gone exit 127");
  }
  abax::perf::pgemm product(abax_perf());
  const ending end = serve(gatherer, worker, product);
  if (worker.pid > 0) end_by_force(worker.pid);
  gatherer.send("bye");
  if (gatherer_process.pid > 0) end_of(gatherer_process.pid);
  if (end.abort) MPI_Abort(MPI_COMM_WORLD, end.status);
  MPI_Finalize();
  return here.rank == 0 ? end.status : 0;  // so that the launcher need not complain of each
}
