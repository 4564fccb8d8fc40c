// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which row of its catalogue a backend takes for a product, its tile, its splits, the operands it copies: over a grid
// of problems and of described machines, none of which needs to be there. Compared with tests/plans/*.txt line by line.
//
//   plan_grid FOLDER [record]
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/gemv_def.hpp"

namespace {

namespace launch = abax::launch;
namespace tile = abax::tile;
using abax::index_t;

/// How an operand lies in memory: its lines, and where they begin.
enum class lie { packed, padded, offset, odd, strided, far };
constexpr char letters[] = "pmoasf";

struct operand_lie {
  bool by_rows;
  lie where;

  std::string text() const { return std::string(by_rows ? "r" : "c") + letters[static_cast<int>(where)]; }
};

/// Elements are never read: their addresses are.
template <class T>
tile::matrix<T> matrix_of(index_t rows, index_t cols, const operand_lie& how, std::uintptr_t address) {
  constexpr index_t chunk = 16 / sizeof(T);
  const index_t length = how.by_rows ? cols : rows;
  index_t ld = length, step = 1;
  if (how.where == lie::padded) ld = tile::ceil_div(length, chunk) * chunk;
  if (how.where == lie::odd) ld = length + 1 + length % 2;
  if (how.where == lie::strided) step = 2, ld = 2 * length + 1;
  if (how.where == lie::far) ld = (index_t(1) << 24) + 64;
  T* const data = reinterpret_cast<T*>(address) + (how.where == lie::offset);
  return how.by_rows ? tile::matrix<T>{data, rows, cols, ld, step} : tile::matrix<T>{data, rows, cols, step, ld};
}

struct problem_lie {
  index_t m, n, k;
  operand_lie a, b, c;

  template <class T>
  std::string text() const {
    return std::string(sizeof(T) == 4 ? "f " : "d ") + std::to_string(m) + "x" + std::to_string(n) + "x" +
           std::to_string(k) + " " + a.text() + b.text() + c.text();
  }
  template <class T>
  tile::product<T> problem() const {
    return {matrix_of<const T>(m, k, a, 1 << 20),
            matrix_of<const T>(k, n, b, 2 << 20),
            matrix_of<T>(m, n, c, 3 << 20),
            {T(1), T(0)}};
  }
};

/// The same numbers everywhere.
class sequence {
 public:
  explicit sequence(unsigned seed) : state_(seed) {}
  unsigned below(unsigned end) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<unsigned>((std::uint64_t(state_ >> 8) * end) >> 24);
  }
  template <class X, std::size_t Count>
  X of(const std::array<X, Count>& choices) {
    return choices[below(Count)];
  }

 private:
  std::uint32_t state_;
};

constexpr std::array<index_t, 40> extents{1,    2,    3,    7,    13,   16,   31,    32,    33,    48,
                                          63,   64,   65,   96,   97,   127,  128,   129,   192,   255,
                                          256,  257,  384,  511,  512,  777,  1000,  1023,  1024,  1536,
                                          2048, 2049, 3000, 4096, 4099, 8192, 10007, 16384, 65536, 100003};
constexpr std::array<lie, 12> lies{lie::packed, lie::packed, lie::packed, lie::packed,  lie::packed, lie::padded,
                                   lie::padded, lie::offset, lie::odd,    lie::strided, lie::far,    lie::odd};

template <launch::shape Kind>
std::vector<problem_lie> problems(int count) {
  constexpr bool matrix = Kind == launch::shape::matrix;
  sequence next(matrix ? 1 : 2);
  std::vector<problem_lie> all;
  const auto lie_of = [&] { return operand_lie{next.below(2) == 1, next.of(lies)}; };
  const auto add = [&](index_t m, index_t n, index_t k) {
    const operand_lie a = lie_of(), b = matrix ? lie_of() : operand_lie{false, next.of(lies)};
    all.push_back({m, n, k, a, b, {false, next.below(8) == 0 ? lie::strided : lie::packed}});
  };
  if (matrix)
    for (const index_t n : {1, 17, 64, 100, 128, 200, 256, 500, 512, 1000, 1024, 2000, 2048, 4096, 8192, 16384}) {
      const operand_lie columns{false, lie::packed}, rows{true, lie::packed};
      for (int way = 0; way < 4; ++way)
        all.push_back({n, n, n, way % 2 == 1 ? rows : columns, way / 2 == 1 ? rows : columns, columns});
    }
  for (const index_t large : {index_t(1000000), index_t(100003), index_t(2048), index_t(0)}) {
    const index_t n = matrix ? 8 : 1, m = matrix ? 8 : 5;
    add(m, n, large);
    if (large == 0) continue;
    add(large, n, m);
    if (matrix) add(m, large, n);
  }
  while (static_cast<int>(all.size()) < count) {
    const index_t m = next.of(extents), n = matrix ? next.of(extents) : 1, k = next.of(extents);
    if (m * k < (index_t(1) << 31) && k * n < (index_t(1) << 31) && m * n < (index_t(1) << 31)) add(m, n, k);
  }
  if (!matrix)  // of 32 rows a tile and four tiles a processor, a quarter of the first GPU's places, and one row more
    for (const index_t m : {33 * 128, 33 * 128 + 1}) {
      const operand_lie packed{true, lie::packed};
      all.push_back({m, 1, 100000, packed, packed, packed});
    }
  return all;
}

/// Names of rows, and the tiles of those that have one of their own, by letters: the first lines of a file.
class legend {
 public:
  void read(const std::string& line) { names_.push_back(line.substr(4)); }
  std::string letter(const std::string& name, bool adds) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return text(i);
    if (!adds) return "{" + name + "}";
    names_.push_back(name);
    return text(names_.size() - 1);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < names_.size(); ++i) all.push_back("# " + text(i) + " " + names_[i]);
    return all;
  }

 private:
  static std::string text(std::size_t i) { return std::string(1, static_cast<char>(i < 26 ? 'A' + i : 'a' + i - 26)); }
  std::vector<std::string> names_;
};

std::string size_text(const tile::product_tile& tile) {
  return std::to_string(tile.rows) + "x" + std::to_string(tile.cols) + "x" + std::to_string(tile.depth);
}

/// What is done with a problem: "+a+b" for the operands that are copied, then the row, its tile where the row has none
/// of its own, "/" and the teams along k, ">" and how many tiles before are one team's each, "j" where a second launch
/// joins sums.
template <class Backend, launch::shape Kind, bool FixedTiles, class T>
std::string answer(tile::product<T> problem, const typename Backend::machine_type& machine, legend& names, bool adds) {
  using rows = launch::catalogue<Backend, Kind, T>;
  std::string text;
  if constexpr (Kind == launch::shape::matrix) {
    const abax::backends::copies copied = launch::decide<Backend, Kind>(problem, machine).copies;
    problem = launch::as_copied(problem, copied);
    if (copied.a) text += "+a";
    if (copied.b) text += "+b";
    if (launch::runs_immediately(typename rows::immediate(), problem)) return text + "small";
  }
  const auto plan = launch::choose<Backend, Kind>(problem, machine);
  if (!plan) return text + "none";
  const tile::product_tile& size = plan->tile;
  std::string name = plan->row->name;
  if (FixedTiles) name += ": " + size_text(size) + ", " + std::to_string(size.residents) + " a processor";
  text += names.letter(name, adds);
  if (!FixedTiles) text += size_text(size);
  if (plan->cut.splits == 1) return text;
  text += "/" + std::to_string(plan->cut.splits);
  if (plan->cut.whole != 0) text += ">" + std::to_string(plan->cut.whole);
  if (launch::joins_apart(problem, plan->tile, plan->row->cost, machine, plan->cut)) text += "j";
  return text;
}

/// The answers of several machines, once where all are the same.
std::string merged(const std::vector<std::string>& answers) {
  bool same = true;
  for (const std::string& a : answers) same = same && a == answers[0];
  std::string text = " " + answers[0];
  if (!same)
    for (std::size_t i = 1; i < answers.size(); ++i) text += " " + answers[i];
  return text;
}

struct recorded {
  legend names;
  std::vector<std::string> lines;
};

recorded read(const std::string& path) {
  recorded all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    line.rfind("# ", 0) == 0 ? all.names.read(line) : all.lines.push_back(line);
  return all;
}

/// Compares `ask(legend, adds)`'s lines with those of a file, or writes that file. Returns how many differ.
template <class Ask>
int compare(const std::string& path, bool record, const Ask& ask) {
  recorded want;
  if (!record) want = read(path);
  const std::vector<std::string> lines = ask(want.names, record);
  if (record) {
    std::ofstream file(path);
    for (const std::string& line : want.names.lines()) file << line << '\n';
    for (const std::string& line : lines) file << line << '\n';
    return 0;
  }
  int differ = 0;
  for (std::size_t i = 0; i < std::max(lines.size(), want.lines.size()); ++i) {
    const std::string found = i < lines.size() ? lines[i] : "(none)";
    const std::string expected = i < want.lines.size() ? want.lines[i] : "(none)";
    if (found == expected) continue;
    ++differ;
    std::printf("%s\n  was: %s\n  is:  %s\n", path.c_str(), expected.c_str(), found.c_str());
  }
  std::printf("%s: %zu lines, %d differ\n", path.c_str(), lines.size(), differ);
  return differ;
}

#ifdef KOKKOS_ENABLE_CUDA
std::vector<std::string> ask_cuda(legend& names, bool adds) {
  using backend = abax::cuda::backend;
  const auto gpu = [](int processors, int kilobytes, bool tensor_cores) {
    return abax::cuda::machine(processors, std::size_t(kilobytes) << 10, tensor_cores);
  };
  const std::vector machines{gpu(132, 227, true), gpu(114, 227, true), gpu(108, 163, false), gpu(84, 99, false),
                             gpu(40, 64, false)};
  std::vector<std::string> lines;
  const auto ask = [&]<launch::shape Kind, class T>(const problem_lie& p) {
    std::vector<std::string> answers;
    for (const auto& m : machines) answers.push_back(answer<backend, Kind, true>(p.problem<T>(), m, names, adds));
    lines.push_back(p.text<T>() + merged(answers));
  };
  for (const problem_lie& p : problems<launch::shape::matrix>(480)) {
    ask.template operator()<launch::shape::matrix, float>(p);
    ask.template operator()<launch::shape::matrix, double>(p);
  }
  for (const problem_lie& p : problems<launch::shape::vector>(260)) {
    ask.template operator()<launch::shape::vector, float>(p);
    ask.template operator()<launch::shape::vector, double>(p);
  }
  return lines;
}
#endif

#ifdef KOKKOS_ENABLE_OPENMP
/// A set of loops, also one that this CPU does not run: what a choice reads of it is the register tile.
template <class T>
abax::openmp::kernel_set<T> loops(int lanes, int rows, int cols) {
  abax::openmp::kernel_set<T> set{};
  set.lanes = lanes;
  set.rows = rows;
  set.cols = cols;
  return set;
}

std::vector<std::string> ask_openmp(legend& names, bool adds) {
  using backend = abax::openmp::backend;
  // AVX-512, AVX2, any other.
  const std::array floats{loops<float>(16, 48, 8), loops<float>(8, 16, 6), loops<float>(4, 8, 4)};
  const std::array doubles{loops<double>(8, 24, 8), loops<double>(4, 8, 6), loops<double>(4, 4, 4)};
  std::vector<abax::openmp::machine> machines;
  for (const int cores : {1, 2, 16, 96})
    for (int set = 0; set < 3; ++set) machines.emplace_back(cores, floats[set], doubles[set]);
  std::vector<std::string> lines;
  std::size_t turn = 0;
  const auto ask = [&]<launch::shape Kind, class T>(const problem_lie& p) {
    std::vector<std::string> answers;
    for (int i = 0; i < 3; ++i, turn += 5)
      answers.push_back(answer<backend, Kind, false>(p.problem<T>(), machines[turn % machines.size()], names, adds));
    lines.push_back(p.text<T>() + merged(answers));
  };
  for (const problem_lie& p : problems<launch::shape::matrix>(180)) {
    ask.template operator()<launch::shape::matrix, float>(p);
    ask.template operator()<launch::shape::matrix, double>(p);
  }
  for (const problem_lie& p : problems<launch::shape::vector>(80)) {
    ask.template operator()<launch::shape::vector, float>(p);
    ask.template operator()<launch::shape::vector, double>(p);
  }
  return lines;
}

std::vector<std::string> ask_portable(legend& names, bool adds) {
  using backend = abax::portable::backend<Kokkos::OpenMP>;
  std::vector<std::string> lines;
  const auto ask = [&]<launch::shape Kind, class T>(const problem_lie& p) {
    std::vector<std::string> answers;
    for (const int processors : {1, 16, 100})
      answers.push_back(answer<backend, Kind, true>(p.problem<T>(), {processors, 32 << 10}, names, adds));
    lines.push_back(p.text<T>() + merged(answers));
  };
  for (const problem_lie& p : problems<launch::shape::matrix>(120))
    ask.template operator()<launch::shape::matrix, float>(p);
  for (const problem_lie& p : problems<launch::shape::vector>(60))
    ask.template operator()<launch::shape::vector, double>(p);
  return lines;
}
#endif

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 2) return std::puts("plan_grid FOLDER [record]"), 2;
  const std::string folder = argv[1];
  const bool record = argc > 2 && std::string(argv[2]) == "record";
  int differ = 0;
#ifdef KOKKOS_ENABLE_OPENMP
  differ += compare(folder + "/openmp.txt", record, ask_openmp);
  differ += compare(folder + "/portable.txt", record, ask_portable);
#endif
#ifdef KOKKOS_ENABLE_CUDA
  differ += compare(folder + "/cuda.txt", record, ask_cuda);
#endif
  return differ == 0 ? 0 : 1;
}
