// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "nccl.hpp"

namespace abax::perf {
namespace {

using json = nlohmann::json;

constexpr int line_file = 3;  // as abax-perf-mpi starts it

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}
int number_in(const char* name, int otherwise) {
  const std::string text = variable(name);
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

std::string dumped(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

part part_of_this_process() {
  const std::string name = variable("ABAX_PERF_PART");
  return name == "worker" ? part::worker : name == "gatherer" ? part::gatherer : part::whole;
}

int local_rank() { return number_in("ABAX_PERF_LOCAL_RANK", -1); }
int neighbours() { return std::max(1, number_in("ABAX_PERF_NEIGHBOURS", 1)); }

int launched_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"})
    if (const int ranks = number_in(name, 0); ranks > 0) return ranks;
  return 1;
}

void become_rank(char** argv) {
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  const std::string path(self, n > 0 ? static_cast<std::size_t>(n) : 0);
  const std::string ranks = path.substr(0, path.rfind('/') + 1) + "abax-perf-mpi";
  execv(ranks.c_str(), argv);
  throw std::runtime_error("several ranks and pgemm need " + ranks + ", which is not there (" + std::strerror(errno) +
                           "): configure where there is an MPI, with -DABAX_MPI=ON");
}

worker_line::worker_line() : line_(line_file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int s : {SIGINT, SIGTERM}) std::signal(s, SIG_IGN);
  fcntl(line_file, F_SETFD, FD_CLOEXEC);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  for (int fd = line_file + 1; fd < 256; ++fd) close(fd);  // the launcher's, which waits for their end
}

std::string worker_line::order() {
  std::string text;
  if (!line_.wait(text)) _exit(2);
  return text;
}

void worker_line::together() {
  line_.send(R"({"ready":true})");
  order();
}

void worker_line::present(const std::vector<std::pair<std::string, std::string>>& context, double fma_f32,
                          double fma_f64, double free_memory,
                          const std::vector<std::pair<std::string, double>>& steps) {
  line_.send(dumped({{"context", context}, {"fma", {fma_f32, fma_f64}}, {"free", free_memory}, {"steps", steps}}));
}

bool worker_line::step() { return order() == "step"; }

void worker_line::done(const case_result& c) { line_.send("{\"case\":" + line_of(c) + "}"); }

void worker_line::failed(const std::string& why) { line_.send(dumped({{"failed", why}})); }

void worker_line::refuse(const std::string& why, int status) {
  line_.send(dumped({{"refused", why}, {"status", status}}));
}

void worker_line::serve(bool has_gpu) {
  gpu_links links;
  for (;;) {
    const std::string text = order();
    json answer;
    try {
      answer["nccl"] = has_gpu ? links.answer(text) : throw std::runtime_error("no GPU");
    } catch (const std::exception& error) {
      answer = {{"failed", error.what()}};
    }
    line_.send(dumped(answer));
  }
}

}  // namespace abax::perf
