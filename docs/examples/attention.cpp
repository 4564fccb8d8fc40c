// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Attention in one kernel: O = (W V) / (sums of W's rows), W = max(Q K^T / sqrt(depth), 0), for every head. A team
   has 32 rows of Q; K and V pass through its scratch, 32 rows at a time, and neither W nor its products with V ever
   reach global memory. The same source runs on a GPU and on cores, with the same bits, which this program checks.

     $ c++ -std=c++20 -O2 -fopenmp attention.cpp -I$PREFIX/include -I$PREFIX/include/kokkos \
       -L$PREFIX/lib -labax -lkokkoscore -ldl -o attention

   With CUDA, or any other Kokkos: the CMakeLists.txt beside this file. */
#include <Kokkos_Core.hpp>
#include <abax/team.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>

constexpr int heads = 6, rows = 256, depth = 32, block = 32;
constexpr float scale = 0.17677669F;  // 1 / sqrt(depth)

using matrices = Kokkos::View<float* [rows][depth], Kokkos::LayoutRight>;
using policy = Kokkos::TeamPolicy<>;
using scratch = policy::execution_space::scratch_memory_space;

// What each tile is for decides how it lies in scratch, without bank conflicts.
using abax::access;
using left_tile = abax::scratch_tile<float, block, depth, access::copy_rows, access::multiply_rows>;
using right_tile = abax::scratch_tile<float, block, depth, access::copy_rows, access::multiply_columns>;
using weight_tile = abax::scratch_tile<float, block, block, access::multiply_rows>;
using output_tile = abax::scratch_tile<float, block, depth>;
using row_sums = Kokkos::View<float[block], scratch, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Rows `part` of head `head`.
template <class Views>
KOKKOS_FUNCTION auto rows_of(const Views& all, int head, int part) {
  return Kokkos::subview(all, head, Kokkos::make_pair(part * block, (part + 1) * block), Kokkos::ALL);
}

void attend(const matrices& Q, const matrices& K, const matrices& V, const matrices& O) {
  constexpr int parts = rows / block;
  policy teams(heads * parts, Kokkos::AUTO);
  const auto bytes = 2 * left_tile::shmem_size() + right_tile::shmem_size() + weight_tile::shmem_size() +
                     output_tile::shmem_size() + row_sums::shmem_size();
  teams.set_scratch_size(0, Kokkos::PerTeam(bytes));
  Kokkos::parallel_for(
      "attention", teams, KOKKOS_LAMBDA(const policy::member_type& team) {
        const int head = team.league_rank() / parts, part = team.league_rank() % parts;
        const left_tile q(team.team_scratch(0)), k(team.team_scratch(0));
        const right_tile v(team.team_scratch(0));
        const weight_tile w(team.team_scratch(0));
        const output_tile o(team.team_scratch(0));
        const row_sums sums(team.team_scratch(0));
        abax::team::stage(team, rows_of(Q, head, part), q);
        for (int of_keys = 0; of_keys < parts; ++of_keys) {
          abax::team::stage(team, rows_of(K, head, of_keys), k);  // both are on their way at once
          abax::team::stage(team, rows_of(V, head, of_keys), v);
          abax::team::wait(team);
          abax::team::gemm<'N', 'T'>(team, scale, q, k, 0.0F, w);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, block), [&](int i) {
            float sum = of_keys == 0 ? 0 : sums(i);
            for (int j = 0; j < block; ++j) {
              w(i, j) = w(i, j) > 0 ? w(i, j) : 0;
              sum += w(i, j);
            }
            sums(i) = sum;
          });
          team.team_barrier();
          abax::team::gemm(team, 1.0F, w, v, of_keys == 0 ? 0.0F : 1.0F, o);
        }
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, block * depth), [&](int e) {
          const int i = e / depth, j = e % depth;
          O(head, part * block + i, j) = o(i, j) / sums(i);
        });
      });
}

/// Elements of O, on the host as the others, whose bits differ from the same sums in plain loops.
template <class Inputs, class Outputs>
int differing(const Inputs& Q, const Inputs& K, const Inputs& V, const Outputs& O) {
  int count = 0;
  for (int head = 0; head < heads; ++head)
    for (int i = 0; i < rows; ++i) {
      float sum = 0, out[depth];
      for (int first = 0; first < rows; first += block) {
        float w[block], part[depth] = {};
        for (int j = 0; j < block; ++j) {
          float s = 0;
          for (int p = 0; p < depth; ++p) s = std::fma(Q(head, i, p), K(head, first + j, p), s);
          s *= scale;
          w[j] = s > 0 ? s : 0;
          sum += w[j];
        }
        for (int j = 0; j < block; ++j)
          for (int p = 0; p < depth; ++p) part[p] = std::fma(w[j], V(head, first + j, p), part[p]);
        for (int p = 0; p < depth; ++p) out[p] = first == 0 ? part[p] : out[p] + part[p];
      }
      for (int p = 0; p < depth; ++p) {
        const float want = out[p] / sum, got = O(head, i, p);
        count += std::memcmp(&want, &got, sizeof(float)) != 0;
      }
    }
  return count;
}

int run() {
  const matrices Q("Q", heads), K("K", heads), V("V", heads), O("O", heads);
  const auto q = Kokkos::create_mirror_view(Q), k = Kokkos::create_mirror_view(K), v = Kokkos::create_mirror_view(V);
  unsigned state = 1;
  const auto random = [&] {  // in [-1, 1)
    state = state * 1664525 + 1013904223;
    return static_cast<float>(state >> 8) / (1 << 23) - 1;
  };
  for (int head = 0; head < heads; ++head)
    for (int i = 0; i < rows; ++i)
      for (int p = 0; p < depth; ++p) {
        q(head, i, p) = random();
        k(head, i, p) = random();
        v(head, i, p) = random();
      }
  Kokkos::deep_copy(Q, q);
  Kokkos::deep_copy(K, k);
  Kokkos::deep_copy(V, v);
  attend(Q, K, V, O);
  const int wrong = differing(q, k, v, Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), O));
  std::printf("attention: %d heads of %d x %d, %d elements differ from plain loops: %s\n", heads, rows, depth, wrong,
              wrong == 0 ? "right" : "WRONG");
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run();
}
