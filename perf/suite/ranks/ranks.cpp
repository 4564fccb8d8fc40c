// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.hpp"

#if defined(ABAX_PERF_MPI)
#include <mpi.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace abax::perf::ranks {
namespace {

place own;

/// As the launchers of Open MPI, MPICH and its kin, and Slurm say it; 1 where there is none.
int launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"})
    if (const char* const text = std::getenv(name))
      if (const int ranks = std::atoi(text); ranks > 0) return ranks;
  return 1;
}

}  // namespace

const place& self() { return own; }

#if defined(ABAX_PERF_MPI)
void start(bool needed) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  const int expected = launched();
  if (initialised != 0) return;
  if (expected == 1 && !needed && std::getenv("PMIX_RANK") == nullptr) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own.size);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, own.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &own.local);
  MPI_Comm_size(node, &own.neighbours);
  MPI_Comm_free(&node);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  own.mpi = std::string(text).substr(0, std::string(text).find_first_of("\n\r\t"));
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  own.host = name;
  if (expected > 1 && own.size == 1)
    throw std::runtime_error("a launcher has started this process as one of " + std::to_string(expected) +
                             " ranks, and " + own.mpi +
                             ", which it is built with, knows of one: use the launcher of that MPI");
  if (own.rank > 0 && std::freopen("/dev/null", "w", stdout) == nullptr) abort(2);
}

int end(int status) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) return status;
  MPI_Finalize();
  return own.rank == 0 ? status : 0;
}

void abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

void together() {
  if (own.size > 1) MPI_Barrier(MPI_COMM_WORLD);
}

double sum(double of_mine) {
  if (own.size > 1) MPI_Allreduce(MPI_IN_PLACE, &of_mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return of_mine;
}

double largest(double of_mine) {
  if (own.size > 1) MPI_Allreduce(MPI_IN_PLACE, &of_mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return of_mine;
}

std::vector<std::string> gathered(const std::string& mine) {
  if (own.size == 1) return {mine};
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(own.size)), begins(lengths.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), ' ');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < lengths.size(); ++r)
    parts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r])));
  return parts;
}

void send(int to, const void* data, std::size_t bytes) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

void receive(int from, void* data, std::size_t bytes) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#else
void start(bool needed) {
  if (launched() > 1 || needed)
    throw std::runtime_error(
        "several ranks and pgemm need MPI, which this abax-perf was built without: configure where "
        "CMake finds one, with -DABAX_MPI=ON");
}
int end(int status) { return status; }
void abort(int status) { std::exit(status); }
void together() {}
double sum(double of_mine) { return of_mine; }
double largest(double of_mine) { return of_mine; }
std::vector<std::string> gathered(const std::string& mine) { return {mine}; }
void send(int, const void*, std::size_t) {}
void receive(int, void*, std::size_t) {}
#endif

void require_all(const std::string& problem, int status) {
  const auto highest = static_cast<int>(largest(problem.empty() ? 0 : status));
  if (highest == 0) return;
  std::string all;
  for (const std::string& one : gathered(problem))
    if (!one.empty() && all.find(one) == std::string::npos) all += (all.empty() ? "" : "; ") + one;
  throw refused(all, highest);
}

}  // namespace abax::perf::ranks
