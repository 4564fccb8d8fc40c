// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What is measured, as data: a row for each kernel and type.
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "peers/peers.hpp"

namespace abax::perf {

/// How a problem's operands lie, up to three with the result last, and by what it is scaled.
struct placement {
  bool by_rows = false;              ///< matrices are row-major
  std::array<index_t, 3> offset{};   ///< elements before the first, from a multiple of 256 bytes on
  std::array<index_t, 3> leading{};  ///< dimensions; 0: no gaps
  double alpha = 1, beta = 0;

  auto operator<=>(const placement&) const = default;
};

/// An m x n result with k terms an element. gemv has n == 1, a transpose k == 1, a vector both.
struct extents {
  index_t m, n, k;
  placement lies{};

  auto operator<=>(const extents&) const = default;
};

/// One operand in memory: `count` lines of `length` elements, `leading` from one to the next; of these elements all, or
/// those that do not come before the diagonal's in their line.
struct lines {
  index_t length, count, leading = length, offset = 0;
  bool from_diagonal = false;

  /// Elements from the begin of memory on; the largest number where no memory holds them.
  index_t size() const {
    const double about = double(offset) + double(leading) * double(count) + double(length);
    return about > 9e18 ? std::numeric_limits<index_t>::max() : offset + leading * (count - 1) + length;
  }
};

/// The ceiling that a kernel is held against.
enum class roof { copy, read, update, combine, fma };
inline constexpr const char* roof_names[] = {"copy", "read", "update", "combine", "fma"};

/// A real number of a result, with the bits that it should have: an element, or a part of a complex one.
struct real_number {
  index_t i, j;
  int part;
  std::uint64_t found, expected;
};

/// What a check found.
struct verdict {
  int samples;             ///< elements recomputed on the host, in the canon's order
  int wrong;               ///< of these: with other bits
  index_t unwritten;       ///< real numbers of the whole result that were never stored, or stored in a gap
  std::uint64_t checksum;  ///< of every element's bits and place
  real_number first_wrong{};

  bool right() const { return wrong == 0 && unwritten == 0; }
};

/// One kernel with its operands in place: random, the same values on every machine. Its variants: Abax, then the
/// peers that have such a routine.
class workload {
 public:
  virtual ~workload() = default;

  /// The peers that take part, in the order of the variants 1, 2, ... Each has been run once, and compared with the
  /// canon's result: one that computes something else is an error.
  virtual const std::vector<const peer*>& peers() const = 0;
  /// Queues variant `v` on its next set of operands, and does not wait.
  virtual void run(int v) = 0;
  virtual void fence() = 0;
  /// Runs Abax once, on the first set, and examines the result: whole, and a sample of it `recomputed` on the host. To
  /// be called before any run().
  virtual verdict check(bool recomputed = true) = 0;
  /// After the runs: do the results of all sets still have that checksum? (True for a kernel that works in place.)
  virtual bool unchanged(std::uint64_t checksum) = 0;

  // For those who look for a single wrong bit.
  /// Whether a call leaves its operands as they are, so that the next one has the same result.
  virtual bool repeats() const = 0;
  /// As run(0), on that set of operands.
  virtual void run_on(int set) = 0;
  /// That of one set's result.
  virtual std::uint64_t checksum(int set) = 0;
  /// The same for each run of `piece` real numbers of it, as they are stored.
  virtual std::vector<std::uint64_t> piece_checksums(int set) = 0;
  static constexpr index_t piece = 4096;
  /// The bits of one of those.
  virtual std::vector<std::uint64_t> piece_bits(int set, index_t number) = 0;
  /// Where the real number is that is stored at `at`, and what it should be; nothing if it is none of the result's.
  virtual std::optional<real_number> number_at(index_t at, std::uint64_t found) = 0;

  /// What is queued between the two is timed by the GPU's own clock.
  virtual void begin_events() = 0;
  virtual void end_events() = 0;
  /// How long that took, after a fence(); NaN where there is no such clock.
  virtual double seconds_between_events() = 0;

  struct catalogue_row {
    std::string name;
    bool chosen;  ///< by Abax
  };
  /// The rows of the backend's catalogue that serve the problem; none where it has no catalogue.
  virtual std::vector<catalogue_row> rows() { return {}; }
  /// As run(), under one of them.
  virtual void run_row(int /*row*/) {}
};

/// How the shape of a kernel is written, a letter for each number: its extents m, n and k, or s for m and n of a
/// square. "mnk" is a product, "sk" one with a square result, "mk" a matrix with k columns. Behind it stands how the
/// operands lie, where the case says.
using form = const char*;
std::string shape_text(form written, const extents& e);
/// Of as many numbers as the form has letters.
extents shape_of_numbers(form written, std::span<const index_t> numbers);

struct kernel {
  const char* name;
  const char* type;
  int element;  ///< bytes
  int part;     ///< bytes of a real number: an element, or either part of a complex one
  roof bound;
  double (*elements)(const extents&);              ///< read once and written once: the fewest that can be moved
  double (*flops)(const extents&);                 ///< that count as useful; an fma is two
  std::vector<lines> (*operands)(const extents&);  ///< as extents::lies places them, the result last; none: it does not
  bool scaled;                                     ///< by alpha and beta
  form written;
  /// What is run where nothing else is asked for.
  std::span<const extents> host_shapes, device_shapes;
  /// `sets` of operands, so that a call does not find those of the call before it in a cache.
  std::unique_ptr<workload> (*prepare)(backend where, const extents& e, int sets, std::span<const peer> peers);

  double bytes(const extents& e) const { return elements(e) * element; }
  /// Of one set of operands, with their gaps.
  double stored_bytes(const extents& e) const;
  bool complex() const { return part != element; }
  bool arithmetic() const { return bound == roof::fma; }
  /// What its rate is counted in: operations of arithmetic, bytes of everything else.
  double amount(const extents& e) const { return arithmetic() ? flops(e) : bytes(e); }
  std::span<const extents> shapes(backend where) const { return where == backend::host ? host_shapes : device_shapes; }
};

/// All rows: the suite's own, and those that were added.
std::span<const kernel> kernels();

/// Adds a row; one with the name and the type of another takes its place. To be called before main(), from any source
/// that is linked with the suite; true, so that it can initialise a static. workloads.hpp helps to write the row.
bool add_kernel(const kernel& row);

}  // namespace abax::perf
