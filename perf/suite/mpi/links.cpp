// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "links.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace abax::perf {

std::string link_samples(int from, int to, long long bytes) {
  constexpr int tag = 7, samples = 25;
  constexpr double shortest = 1e-3, longest = 0.5;  // seconds: of a sample, of all
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool first = rank == from;
  const int other = first ? to : from, size = static_cast<int>(bytes);
  std::vector<unsigned char> out(static_cast<std::size_t>(bytes)), in(out.size(), 0xff);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);

  const auto rounds = [&](int calls) {
    const double begin = MPI_Wtime();
    for (int c = 0; c < calls; ++c) {
      if (first) MPI_Send(out.data(), size, MPI_BYTE, other, tag, MPI_COMM_WORLD);
      MPI_Recv(in.data(), size, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!first) MPI_Send(in.data(), size, MPI_BYTE, other, tag, MPI_COMM_WORLD);  // what came, so that all is checked
    }
    return (MPI_Wtime() - begin) / (2 * calls);
  };
  rounds(2);  // connections are made at the first message
  int plan[2] = {1, samples};
  if (first) {
    const double once = std::max(2 * rounds(3), 1e-9);
    plan[0] = std::clamp(static_cast<int>(shortest / once), 1, 100'000);
    plan[1] = std::clamp(static_cast<int>(longest / (once * plan[0])), 5, samples);
    MPI_Send(plan, 2, MPI_INT, other, tag, MPI_COMM_WORLD);
  } else {
    rounds(3);
    MPI_Recv(plan, 2, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::string text;
  for (int s = 0; s < plan[1]; ++s) {
    char number[32];
    std::snprintf(number, sizeof number, " %.5g", rounds(plan[0]));
    text += number;
  }
  return (in == out ? "1" : "0") + text;
}

}  // namespace abax::perf
