// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "repeated.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "../interruption.hpp"
#include "../ranks/findings.hpp"
#include "../session.hpp"
#include "call.hpp"

namespace abax::perf::verify {
namespace {

using golden::hex;
using bits = std::vector<std::uint64_t>;

constexpr int sets = 3;  // the first keeps the first run's result

double seconds_since(sample_clock::time_point begin) {
  return std::chrono::duration<double>(sample_clock::now() - begin).count();
}

/// The first place at which they differ, or their common end.
index_t first_difference(const bits& a, const bits& b) { return std::ranges::mismatch(a, b).in1 - a.begin(); }

void describe(const kernel& k, const real_number& n, difference& d) {
  const int digits = 2 * k.part;
  d.element = golden::place_text(n.i, n.j);
  if (k.complex()) d.element += n.part == 0 ? ", real part" : ", imaginary part";
  d.found = hex(n.found, digits);
  d.expected = hex(n.expected, digits);
}

}  // namespace

difference repeated::begun(backend where, const char* beside) const {
  difference d;
  d.rank = ranks::self().rank;
  d.backend = backend_name(where);
  d.call = std::string(call_.what->name) + " " + call_.what->type + " " + shape_text(call_.what->written, call_.shape);
  d.beside = beside;
  return d;
}

void repeated::run(double seconds, const std::function<void(const work_done&)>& done) {
  const kernel& k = *call_.what;
  for (const backend where : call_.where) {
    const auto begin = sample_clock::now();
    part& p = parts_.emplace_back(part{where, k.prepare(where, call_.shape, sets, {}), 0});
    const verdict v = p.work->check();
    p.checksum = v.checksum;
    check(p, v, begin);
    work_done work{k.name, k.type, backend_name(where), k.arithmetic() ? "FLOP" : "B", call_.load, 1};
    do {
      const auto round = sample_clock::now();
      for (int set = 1; set < sets; ++set) p.work->run_on(set);
      p.work->fence();
      work.seconds += seconds_since(round);
      work.calls += sets - 1;
      work.amount += (sets - 1) * k.amount(call_.shape);
      for (int set = 1; set < sets; ++set)
        if (const std::uint64_t found = p.work->checksum(set); found != p.checksum) locate(p, set, found, round);
    } while (call_.load && p.work->repeats() && seconds_since(begin) < seconds && came_signal() == 0);
    done(work);
  }
}

/// What the first run's check found.
void repeated::check(part& p, const verdict& v, sample_clock::time_point since) const {
  if (v.right()) return;
  difference d = begun(p.where, "reference");
  d.found_hash = hex(v.checksum);
  d.expected_hash = "unknown";
  if (v.wrong > 0)
    describe(*call_.what, v.first_wrong, d);
  else
    d.beside = "reference; numbers not written, or written outside of the result: " + std::to_string(v.unwritten);
  report_(p.where, since, d);
}

/// A repeat has another result than the first run. Which of them is wrong, the scalar reference says.
void repeated::locate(part& p, int set, std::uint64_t found, sample_clock::time_point since) const {
  difference d = begun(p.where, "repeat");
  d.found_hash = hex(found);
  d.expected_hash = hex(p.checksum);
  const bits own = p.work->piece_checksums(set), first = p.work->piece_checksums(p.set);
  const index_t piece = first_difference(own, first);
  if (piece == std::ssize(own)) {
    d.beside = "repeat; the checksum only: its result is right now";
    return report_(p.where, since, d);
  }
  const bits mine = p.work->piece_bits(set, piece), theirs = p.work->piece_bits(p.set, piece);
  const index_t at = first_difference(mine, theirs);
  if (at == std::ssize(mine)) return report_(p.where, since, d);
  const std::uint64_t here = mine[static_cast<std::size_t>(at)], there = theirs[static_cast<std::size_t>(at)];
  std::optional<real_number> number = p.work->number_at(piece * workload::piece + at, here);
  if (!number) {
    d.element = "outside of the result";
    d.found = hex(here, 2 * call_.what->part);
    d.expected = hex(there, 2 * call_.what->part);
  } else {
    const bool first_is_wrong = number->expected == here;
    if (first_is_wrong) {
      number->found = there;
      std::swap(d.found_hash, d.expected_hash);
    }
    describe(*call_.what, *number, d);
    if (first_is_wrong && p.work->repeats()) {  // go on from a right one
      p.work->run_on(p.set);
      p.work->fence();
      p.checksum = p.work->checksum(p.set);
    } else if (first_is_wrong) {
      p.set = set;
      p.checksum = found;
    }
  }
  report_(p.where, since, d);
}

void repeated::compare() const {
  const auto since = sample_clock::now();
  bits own;
  for (const part& p : parts_) own.push_back(p.checksum);
  const std::vector<bits> all = ranks::gathered_of(own);
  // What most have is taken for right until the scalar reference says otherwise; of two the first's.
  std::map<std::uint64_t, int> votes;
  for (const bits& of_rank : all)
    for (const std::uint64_t sum : of_rank) ++votes[sum];
  if (votes.size() == 1) return;
  std::size_t teacher = 0, teaching = 0;
  for (std::size_t r = 0; r < all.size(); ++r)
    for (std::size_t b = 0; b < all[r].size(); ++b)
      if (votes[all[r][b]] > votes[all[teacher][teaching]]) {
        teacher = r;
        teaching = b;
      }
  const bool teaches = ranks::self().rank == static_cast<int>(teacher);
  const std::uint64_t taught = all[teacher][teaching];
  const bits pieces =
      ranks::gathered_of(teaches ? parts_[teaching].work->piece_checksums(parts_[teaching].set) : bits())[teacher];
  std::vector<index_t> asked;  // by each of this rank's parts: which piece
  for (const part& p : parts_)
    asked.push_back(p.checksum == taught ? std::ssize(pieces)
                                         : first_difference(p.work->piece_checksums(p.set), pieces));
  std::set<index_t> every;
  for (const std::vector<index_t>& of_rank : ranks::gathered_of(asked)) every.insert(of_rank.begin(), of_rank.end());
  every.erase(std::ssize(pieces));
  std::map<std::string, bits> answers;
  for (const index_t piece : every)
    if (teaches) answers[std::to_string(piece)] = parts_[teaching].work->piece_bits(parts_[teaching].set, piece);
  answers = ranks::gathered_of(answers)[teacher];
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const part& p = parts_[b];
    if (p.checksum == taught) continue;
    difference d = begun(p.where, "backends and ranks");
    d.found_hash = hex(p.checksum);
    d.expected_hash = hex(taught);
    backend blamed = p.where;
    if (asked[b] < std::ssize(pieces)) {
      const bits mine = p.work->piece_bits(p.set, asked[b]), &theirs = answers.at(std::to_string(asked[b]));
      const index_t at = first_difference(mine, theirs);
      std::optional<real_number> number;
      if (at < std::ssize(mine))
        number = p.work->number_at(asked[b] * workload::piece + at, mine[static_cast<std::size_t>(at)]);
      if (number) {
        if (number->expected == number->found) {  // the other one is wrong
          number->found = theirs[static_cast<std::size_t>(at)];
          std::swap(d.found_hash, d.expected_hash);
          d.rank = static_cast<int>(teacher);
          blamed = call_.where[teaching];
          d.backend = backend_name(blamed);
        }
        describe(*call_.what, *number, d);
      }
    }
    report_(blamed, since, d);
  }
}

}  // namespace abax::perf::verify
