// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace abax::perf {
namespace {

using json = nlohmann::ordered_json;

constexpr auto lenient = json::error_handler_t::replace;  // an environment may hold anything
constexpr const char* schema = "abax-perf 2";
constexpr const char* first_schema = "abax-perf 1";  // of files without passes, sensors, device times

// Five digits are more than any clock here is good for, and halve the file.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::stod(text);
}

json rounded(const std::vector<double>& values) {
  json all = json::array();
  for (const double v : values) all.push_back(rounded(v));
  return all;
}

json variant_json(const variant_result& v) {
  json all = {{"name", v.name},
              {"median", rounded(v.times.median)},
              {"median_low", rounded(v.median_confidence.low)},
              {"median_high", rounded(v.median_confidence.high)},
              {"minimum", rounded(v.times.best)},
              {"deviation", rounded(v.times.deviation)},
              {"ratio", rounded(v.ratio)},
              {"ratio_low", rounded(v.confidence.low)},
              {"ratio_high", rounded(v.confidence.high)},
              {"calls_per_sample", v.times.calls},
              {"samples", rounded(v.times.samples)}};
  if (!v.device_samples.empty()) {
    all["device_median"] = rounded(median_of(v.device_samples));
    all["device_samples"] = rounded(v.device_samples);
  }
  if (!v.throttled.empty()) all["throttled"] = v.throttled;
  return all;
}

json case_json(const case_result& c) {
  json variants = json::array();
  for (const variant_result& v : c.variants) variants.push_back(variant_json(v));
  json sensors = json::object();
  for (const sensor_range& r : c.sensors) sensors[r.name] = {rounded(r.low), rounded(r.median), rounded(r.high)};
  json all = {{"kernel", c.kernel},
              {"type", c.type},
              {"shape", c.shape},
              {"m", c.m},
              {"n", c.n},
              {"k", c.k},
              {"backend", c.backend},
              {"operand_sets", c.sets},
              {"bits", c.bits},
              {"compared", c.samples},
              {"amount", c.amount},
              {"unit", c.unit},
              {"roof", c.roof},
              {"roof_rate", rounded(c.roof_rate)},
              {"converged", c.converged},
              {"passes", c.passes},
              {"sensors", sensors},
              {"throttled_by", c.throttled_by},
              {"variants", variants}};
  for (const rank_figure& r : c.ranks)
    all["ranks"].push_back({{"rank", r.rank},
                            {"median", rounded(r.median)},
                            {"minimum", rounded(r.minimum)},
                            {"deviation", rounded(r.deviation)},
                            {"bits", r.bits}});
  if (!c.ranks.empty()) all["slow"] = c.slow;
  return all;
}

json ranks_json(const rank_results& r) {
  json places = json::array(), links = json::array(), failures = json::array(), slow = json::array();
  for (const rank_place& p : r.places) {
    json context = json::object();
    for (const auto& [name, value] : p.context) context[name] = value;
    places.push_back({{"rank", p.rank},
                      {"host", p.host},
                      {"pid", p.pid},
                      {"mpi", p.mpi},
                      {"cpus", p.cpus},
                      {"ended", p.end},
                      {"context", context}});
  }
  for (const link_result& l : r.links) {
    links.push_back({{"by", l.by},
                     {"from", l.from},
                     {"to", l.to},
                     {"same_host", l.same_host},
                     {"intact", l.intact},
                     {"slow", l.slow},
                     {"latency", rounded(l.latency)},
                     {"rate", rounded(l.rate)},
                     {"samples", rounded(l.samples)}});
  }
  for (const rank_failure& f : r.failures) failures.push_back({{"rank", f.rank}, {"what", f.what}, {"why", f.why}});
  for (const slow_rank& s : r.slow)
    slow.push_back({{"rank", s.rank}, {"cases", s.cases}, {"of", s.of}, {"factor", rounded(s.factor)}});
  return {{"ranks", places}, {"links", links}, {"failures", failures}, {"slow", slow}};
}

/// A new file beside `path`, with a name that nobody can foresee, and the rights that any new file has.
class incoming_file {
 public:
  explicit incoming_file(const std::string& path) : path_(path), name_(path + ".XXXXXX"), fd_(mkstemp(name_.data())) {
    if (fd_ < 0) throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  }
  ~incoming_file() {
    close();
    if (!taken_) unlink(name_.c_str());
  }
  incoming_file(const incoming_file&) = delete;
  incoming_file& operator=(const incoming_file&) = delete;

  /// Puts it, with `text` in it, in the place of the file at `path`: on the disk before it has that name.
  void take_place(const std::string& text) {
    const mode_t mask = umask(0);
    umask(mask);
    const bool whole = written(text) && fchmod(fd_, 0666 & ~mask) == 0 && fsync(fd_) == 0 && close();
    taken_ = whole && std::rename(name_.c_str(), path_.c_str()) == 0;
    if (!taken_) throw std::runtime_error("could not write " + path_ + ": " + std::strerror(errno));
  }

 private:
  bool written(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

  std::string path_, name_;
  int fd_;
  bool taken_ = false;
};

/// A value of a file and where it stands in it, for the complaint.
class reader {
 public:
  reader(const json& value, std::string where) : value_(value), where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error(where_ + ": expected " + expected);
  }

  bool has(const char* name) const { return value_.is_object() && value_.contains(name); }
  reader operator[](const char* name) const {
    if (!has(name)) fail(std::string("\"") + name + "\"");
    return {value_[name], where_ + "." + name};
  }
  /// Calls each(element) for an array of 1 to `most` elements, or of none where that may be.
  template <class Each>
  void elements(std::size_t least, std::size_t most, const Each& each) const {
    if (!value_.is_array() || value_.size() < least || value_.size() > most)
      fail("an array of " + std::to_string(least) + " to " + std::to_string(most) + " elements");
    for (std::size_t i = 0; i < value_.size(); ++i) each(reader(value_[i], where_ + "[" + std::to_string(i) + "]"));
  }
  template <class Each>
  void members(const Each& each) const {
    if (!value_.is_object()) fail("an object");
    for (const auto& [name, value] : value_.items()) each(printable(name), reader(value, where_ + "." + name));
  }
  /// It is going to be printed on a terminal.
  std::string text() const {
    if (!value_.is_string()) fail("a text");
    return printable(value_.get_ref<const std::string&>());
  }
  double positive() const {
    const double x = value_.is_number() ? value_.get<double>() : 0;
    if (!(x > 0 && x < std::numeric_limits<double>::infinity())) fail("a number above 0");
    return x;
  }
  double finite() const {
    if (!value_.is_number() || !std::isfinite(value_.get<double>())) fail("a number");
    return value_.get<double>();
  }
  double not_negative() const {
    if (finite() < 0) fail("a number from 0 on");
    return finite();
  }
  /// One of `known`.
  std::string word(std::initializer_list<const char*> known) const {
    const std::string found = text();
    std::string all;
    for (const char* const k : known) {
      if (found == k) return found;
      all += std::string(all.empty() ? "" : " or ") + "\"" + k + "\"";
    }
    fail(all + ", found \"" + found + "\"");
  }
  long long size() const {
    if (!value_.is_number_integer() || value_.get<double>() < 0 || value_.get<double>() > 9e18) fail("a size");
    return value_.get<long long>();
  }
  int count() const {
    const long long n = size();
    if (n > std::numeric_limits<int>::max()) fail("a count below 2^31");
    return static_cast<int>(n);
  }
  bool flag() const {
    if (!value_.is_boolean()) fail("true or false");
    return value_.get<bool>();
  }

 private:
  std::string printable(std::string text) const {
    if (text.size() > 10'000) fail("a line of text");
    for (char& c : text)
      if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
    return text;
  }

  const json& value_;
  std::string where_;
};

constexpr std::size_t most_samples = 100'000, most_ranks = 100'000;

std::vector<double> read_times(const reader& in) {
  std::vector<double> times;
  in.elements(1, most_samples, [&](const reader& t) { times.push_back(t.positive()); });
  return times;
}

/// Early files say nothing of passes: then all samples are of one.
variant_result read_variant(const reader& in, case_result& c, bool newest) {
  variant_result v{};
  v.name = in["name"].text();
  for (const char* const of_samples : {"median", "minimum"}) in[of_samples].positive();  // computed anew, below
  in["deviation"].not_negative();
  v.ratio = in["ratio"].positive();
  v.confidence = {in["ratio_low"].positive(), in["ratio_high"].positive()};
  const std::vector<double> samples = read_times(in["samples"]);
  v.times = summary(in["calls_per_sample"].count(), samples);
  if (c.passes.empty()) c.passes = {static_cast<int>(samples.size())};
  const std::size_t expected = std::accumulate(c.passes.begin(), c.passes.end(), std::size_t(0));
  const auto require_all = [&](const char* name, std::size_t count) {
    if (count != expected) in[name].fail("as many as all passes have: " + std::to_string(expected));
  };
  require_all("samples", samples.size());
  v.median_confidence =
      newest ? interval{in["median_low"].positive(), in["median_high"].positive()} : median_interval(samples, c.passes);
  if (in.has("device_samples")) {
    in["device_median"].positive();
    v.device_samples = read_times(in["device_samples"]);
    require_all("device_samples", v.device_samples.size());
  }
  if (in.has("throttled"))
    in["throttled"].elements(1, samples.size(), [&](const reader& s) {
      v.throttled.push_back(s.count());
      if (static_cast<std::size_t>(v.throttled.back()) >= samples.size()) s.fail("the number of a sample");
    });
  return v;
}

void read_passes(const reader& in, case_result& c) {
  in["passes"].elements(1, most_samples, [&](const reader& p) {
    c.passes.push_back(p.count());
    if (c.passes.back() == 0 || c.passes.back() > static_cast<int>(most_samples)) p.fail("a count of samples");
  });
  in["sensors"].members([&](const std::string& name, const reader& r) {
    std::vector<double> values;
    r.elements(3, 3, [&](const reader& x) { values.push_back(x.finite()); });
    c.sensors.push_back({name, values[0], values[1], values[2]});
  });
  in["throttled_by"].elements(0, 100, [&](const reader& why) { c.throttled_by.push_back(why.text()); });
}

// Of runs on several ranks. `ranks`: how many there were; 0 where a file does not say.

int read_rank(const reader& in, std::size_t ranks) {
  const int rank = in.count();
  if (static_cast<std::size_t>(rank) >= ranks) in.fail("the number of a rank below " + std::to_string(ranks));
  return rank;
}

void read_case_ranks(const reader& in, case_result& c, std::size_t ranks) {
  std::set<int> known;
  in["ranks"].elements(1, ranks, [&](const reader& r) {
    c.ranks.push_back({read_rank(r["rank"], ranks), r["median"].positive(), r["minimum"].positive(),
                       r["deviation"].not_negative(), r["bits"].text()});
    if (!known.insert(c.ranks.back().rank).second) r.fail("a rank that does not stand above");
  });
  in["slow"].elements(0, ranks, [&](const reader& r) {
    c.slow.push_back(read_rank(r, ranks));
    if (known.count(c.slow.back()) == 0) r.fail("one of the case's ranks");
  });
}

rank_place read_place(const reader& in, std::size_t at) {
  rank_place p{in["rank"].count(), static_cast<long>(in["pid"].size()),
               in["host"].text(),  in["mpi"].text(),
               in["cpus"].text(),  {},
               in["ended"].text()};
  if (static_cast<std::size_t>(p.rank) != at) in["rank"].fail("the ranks in order");
  in["context"].members(
      [&](const std::string& name, const reader& value) { p.context.emplace_back(name, value.text()); });
  return p;
}

link_result read_link(const reader& in, std::size_t ranks) {
  link_result l{in["by"].word({"MPI", "NCCL"}), read_rank(in["from"], ranks), read_rank(in["to"], ranks),
                in["same_host"].flag(),         in["intact"].flag(),          in["slow"].flag(),
                in["latency"].positive(),       in["rate"].positive(),        read_times(in["samples"])};
  if (l.from == l.to) in["to"].fail("another rank than \"from\"");
  return l;
}

rank_results read_ranks(const reader& in) {
  rank_results r;
  in["ranks"].elements(1, most_ranks,
                       [&](const reader& place) { r.places.push_back(read_place(place, r.places.size())); });
  const std::size_t ranks = r.places.size();
  in["links"].elements(0, 100'000, [&](const reader& link) { r.links.push_back(read_link(link, ranks)); });
  in["failures"].elements(0, 100'000, [&](const reader& f) {
    r.failures.push_back({read_rank(f["rank"], ranks), f["what"].text(), f["why"].text()});
  });
  in["slow"].elements(0, ranks, [&](const reader& s) {
    r.slow.push_back({read_rank(s["rank"], ranks), s["cases"].count(), s["of"].count(), s["factor"].positive()});
    if (r.slow.back().cases > r.slow.back().of) s["cases"].fail("as many as \"of\" at most");
  });
  return r;
}

case_result read_case(const reader& in, bool newest, std::size_t ranks) {
  case_result c{};
  c.kernel = in["kernel"].text();
  c.type = in["type"].text();
  c.shape = in["shape"].text();
  c.backend = in["backend"].text();
  c.m = in["m"].size();
  c.n = in["n"].size();
  c.k = in["k"].size();
  c.sets = in["operand_sets"].count();
  c.bits = in["bits"].text();
  c.samples = in["compared"].count();
  c.amount = in["amount"].positive();
  c.unit = in["unit"].word({"B", "FLOP"});
  c.roof = in["roof"].word({"copy", "read", "fma"});
  c.roof_rate = in["roof_rate"].positive();
  c.converged = (!newest && !in.has("converged")) || in["converged"].flag();  // early files do not say
  if (newest) read_passes(in, c);
  if (in.has("ranks") || in.has("slow")) read_case_ranks(in, c, ranks);
  in["variants"].elements(1, 100, [&](const reader& v) {
    c.variants.push_back(read_variant(v, c, newest));
    for (std::size_t i = 0; i + 1 < c.variants.size(); ++i)
      if (c.variants[i].name == c.variants.back().name) v.fail("another name than \"" + c.variants[i].name + "\"");
  });
  return c;
}

/// Nothing is read that no run writes: neither endless files, nor nested ones, nor a name that stands twice.
json parse(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t most = 64 << 20;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw std::runtime_error(path + ": not a file");
  if (fs::file_size(path, error) > most || error) throw std::runtime_error(path + ": expected at most 64 MiB");
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + ": cannot be read");

  std::vector<std::set<std::string>> names;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > 8) throw std::runtime_error(path + ": nested too deep for a result file");
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end) names.pop_back();
    if (event == json::parse_event_t::key && !names.back().insert(value.get<std::string>()).second)
      throw std::runtime_error(path + ": a name stands twice in one object");
    return true;
  };
  try {
    return json::parse(in, check);
  } catch (const json::exception& e) {
    throw std::runtime_error(path + ": not JSON, or cut off" +
                             (dynamic_cast<const json::parse_error*>(&e) != nullptr
                                  ? " at byte " + std::to_string(static_cast<const json::parse_error&>(e).byte)
                                  : ""));
  }
}

}  // namespace

void require_writable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw std::runtime_error("cannot write " + path + ": it is not a file");
  const incoming_file tried(path);
}

void write_whole(const std::string& path, const std::string& text) { incoming_file(path).take_place(text); }

std::string line_of(const case_result& c) { return case_json(c).dump(-1, ' ', false, lenient); }

case_result case_of(const std::string& line) {
  const json value = json::parse(line);
  return read_case(reader(value, "a case"), true, 0);
}

void write_json(const run_results& results, const std::string& path) {
  json context = json::object();
  for (const auto& [name, value] : results.context) context[name] = value;

  std::ostringstream out;
  out << "{\n\"schema\": \"" << schema << "\",\n\"status\": " << json(results.status).dump(-1, ' ', false, lenient)
      << ",\n\"context\": " << context.dump(2, ' ', false, lenient);
  if (!results.ranks.places.empty()) {
    const json ranks = ranks_json(results.ranks);
    for (const auto& [name, list] : ranks.items()) {
      out << ",\n\"" << name << "\": [";
      for (std::size_t i = 0; i < list.size(); ++i)
        out << (i > 0 ? ",\n" : "\n") << list[i].dump(-1, ' ', false, lenient);
      out << "\n]";
    }
  }
  out << ",\n\"cases\": [\n";
  const char* between = "";
  for (const case_result& c : results.cases) {  // a line each: differences between two files can be read
    out << between << line_of(c);
    between = ",\n";
  }
  out << "\n]\n}\n";
  write_whole(path, out.str());
}

void write_csv(const run_results& results, const std::string& path) {
  std::ostringstream out;
  out << "kernel,type,shape,m,n,k,backend,operand_sets,bits,converged,passes,variant,samples,throttled_samples,median_"
         "s,"
         "median_low_s,median_high_s,minimum_s,deviation_s,device_median_s,rate_per_s,unit,roof,roof_rate_per_s,ratio,"
         "ratio_low,ratio_high\n";
  for (const case_result& c : results.cases)
    for (const variant_result& v : c.variants) {
      out << c.kernel << ',' << c.type << ',' << c.shape << ',' << c.m << ',' << c.n << ',' << c.k << ',' << c.backend
          << ',' << c.sets << ',' << c.bits << ',' << (c.converged ? "yes" : "no") << ',' << c.passes.size() << ','
          << v.name << ',' << v.times.samples.size() << ',' << v.throttled.size() << ',' << v.times.median << ','
          << v.median_confidence.low << ',' << v.median_confidence.high << ',' << v.times.best << ','
          << v.times.deviation << ',';
      if (!v.device_samples.empty()) out << median_of(v.device_samples);
      out << ',' << c.amount / v.times.median << ',' << c.unit << ',' << c.roof << ',' << c.roof_rate << ',' << v.ratio
          << ',' << v.confidence.low << ',' << v.confidence.high << '\n';
    }
  write_whole(path, out.str());
}

run_results read_json(const std::string& path) {
  const json file = parse(path);
  const reader in(file, path);
  const bool newest = in["schema"].word({schema, first_schema}) == schema;
  run_results results;
  if (newest || in.has("status")) results.status = in["status"].text();
  in["context"].members(
      [&](const std::string& name, const reader& value) { results.context.emplace_back(name, value.text()); });
  const auto of_ranks = {"ranks", "links", "failures", "slow"};
  if (std::any_of(of_ranks.begin(), of_ranks.end(), [&](const char* part) { return in.has(part); }))
    results.ranks = read_ranks(in);
  std::set<std::array<std::string, 4>> known;
  in["cases"].elements(0, 100'000, [&](const reader& c) {
    results.cases.push_back(read_case(c, newest, results.ranks.places.size()));
    const case_result& r = results.cases.back();
    if (!known.insert({r.kernel, r.type, r.shape, r.backend}).second) c.fail("a case that does not stand above");
  });
  return results;
}

}  // namespace abax::perf
