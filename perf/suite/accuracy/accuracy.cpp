// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../machine.hpp"
#include "../output.hpp"
#include "../plan.hpp"
#include "../results.hpp"
#include "exact_sum.hpp"
#include "families.hpp"
#include "products.hpp"

namespace abax::perf::accuracy {
namespace {

constexpr index_t rows = 32, cols = 32;
constexpr int more_bits[] = {-4, -2, 0, 2, 8};  // than the type's own digits

/// How far a product is from the exact one: the most over its elements.
struct figure {
  std::string name;
  int bits;         ///< of gemm_integer; 0 of others
  double error;     ///< |error| / (u (|A||B|)_ij)
  double of_bound;  ///< |error| over what the canon allows; 0 of another library, which promises nothing
};

void to_json(nlohmann::ordered_json& all, const figure& f) {
  all["name"] = f.name;
  if (f.bits > 0) all["bits"] = f.bits;
  all["error"] = f.error;
  if (f.of_bound > 0) all["of_bound"] = f.of_bound;
}

/// A line of an operand: what bounds speak of.
struct line {
  double largest = 0, sum = 0;

  void add(double x) {
    largest = std::max(largest, std::abs(x));
    sum += std::abs(x);
  }
};

template <class T>
class problem {
 public:
  static constexpr int digits = std::numeric_limits<T>::digits;

  problem(const operands& drawn, index_t terms)
      : a(drawn.a.begin(), drawn.a.end()), b(drawn.b.begin(), drawn.b.end()), terms_(terms) {
    for (std::size_t x = 0; x < a.size(); ++x) of_a_[x % rows].add(a[x]);
    for (std::size_t x = 0; x < b.size(); ++x) of_b_[x / static_cast<std::size_t>(terms)].add(b[x]);
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) {
        exact_sum exact;
        double magnitude = 0;
        for (index_t p = 0; p < terms; ++p) {
          const double x = a[static_cast<std::size_t>(i + p * rows)], y = b[static_cast<std::size_t>(p + j * terms)];
          exact.add(x, y);
          magnitude += std::abs(x * y);
        }
        exact_.push_back(exact);
        magnitude_.push_back(magnitude);
      }
  }

  figure gemm(const std::vector<T>& c) const {
    const double blocks = std::ceil(static_cast<double>(terms_) / block);
    const double steps = (std::min<double>(static_cast<double>(terms_), block) + blocks - 1) * unit;
    return judged("gemm", 0, c,
                  [&](std::size_t at, std::size_t, std::size_t) { return steps / (1 - steps) * magnitude_[at]; });
  }
  figure gemm_integer(int bits, const std::vector<T>& c) const {
    const double step = std::ldexp(1.0, -bits), terms = static_cast<double>(terms_);
    return judged("gemm_integer", bits, c, [&](std::size_t at, std::size_t i, std::size_t j) {
      const line &x = of_a_[i], &y = of_b_[j];
      return step * (x.largest * y.sum + y.largest * x.sum + terms * step * x.largest * y.largest) +
             unit * std::abs(static_cast<double>(c[at]));
    });
  }
  figure other(const std::string& name, const std::vector<T>& c) const {
    figure found = judged(name, 0, c, [](std::size_t, std::size_t, std::size_t) { return 1; });
    found.of_bound = 0;
    return found;
  }

  std::vector<T> a, b;

 private:
  static constexpr double unit = 0.5 * std::numeric_limits<T>::epsilon(), block = 2048;

  template <class Bound>
  figure judged(const std::string& name, int bits, const std::vector<T>& c, const Bound& bound) const {
    figure found{name, bits, 0, 0};
    for (std::size_t at = 0; at < c.size(); ++at) {
      exact_sum difference = exact_[at];
      difference.add(-1, c[at]);
      const double error = std::abs(difference.value());
      found.error = std::max(found.error, error / (unit * magnitude_[at]));
      found.of_bound = std::max(found.of_bound, error / bound(at, at % rows, at / rows));
    }
    return found;
  }

  index_t terms_;
  line of_a_[rows], of_b_[cols];
  std::vector<exact_sum> exact_;
  std::vector<double> magnitude_;
};

class course {
 public:
  explicit course(const selection& what) : what_(what) {
    if (!what.json.empty()) require_writable(what.json);
    if (what_.sizes.empty()) what_.sizes = {1024, 2048, 4096};
    if (what_.types.empty()) what_.types = {"f32", "f64"};
    context_ = describe_run();  // before peers, which set variables of the environment
    for (const backend where : backends_of(what)) searches_.push_back(find_peers(where, what.peers, what.peer_files));
    require_found(what.peers, searches_);
    for (peer_search& s : searches_) {
      std::erase_if(s.found, [](const peer& p) { return !p.same_result; });
      for (const peer& p : s.found) context_.emplace_back(p.name, p.version);
    }
  }

  bool run() {
    print(context_);
    std::printf(
        "\nThe most over %lld x %lld elements of |error| / (u (|A||B|)), u = 2^-p, p = 24 (f32) or 53 (f64)\n\n"
        "data            type  terms  backend     gemm  integer: p-4     p-2       p     p+2     p+8  others\n",
        static_cast<long long>(rows), static_cast<long long>(cols));
    for (const std::string& type : what_.types)
      for (const family& of : families())
        for (const index_t terms : what_.sizes) type == "f32" ? measure<float>(of, terms) : measure<double>(of, terms);
    if (!what_.json.empty()) write();
    std::printf(right_ ? "\nAll are within the bounds of their canons, and the same on every backend.\n"
                       : "\nSome are WRONG.\n");
    return right_;
  }

 private:
  template <class T>
  void measure(const family& of, index_t terms) {
    const problem<T> one(of.make(rows, cols, terms, what_.seed), terms);
    std::vector<std::vector<T>> first;  // Abax' products on the first backend
    auto search = searches_.begin();
    for (const backend where : backends_of(what_)) {
      const auto on = place(where, rows, cols, terms, one.a, one.b);
      std::vector<std::vector<T>> own{on->gemm()};
      std::vector<figure> found{one.gemm(own[0])};
      for (const int more : more_bits) {
        const int bits = problem<T>::digits + more;
        own.push_back(on->gemm_integer(bits));
        found.push_back(one.gemm_integer(bits, own.back()));
      }
      if (first.empty()) first = own;
      bool right = std::ranges::all_of(found, [](const figure& f) { return f.of_bound <= 1; });
      for (std::size_t i = 0; i < own.size(); ++i)
        right = right && std::memcmp(own[i].data(), first[i].data(), own[i].size() * sizeof(T)) == 0;
      for (const peer& p : (search++)->found)
        if (const std::vector<T> c = on->gemm_of(p); !c.empty()) found.push_back(one.other(p.name, c));
      keep(of.name, type_name<T>, terms, where, right, found);
    }
  }

  void keep(const std::string& data, const char* type, index_t terms, backend where, bool right,
            const std::vector<figure>& found) {
    std::printf("%-15s %-4s %6lld  %-7s %8.3g     ", data.c_str(), type, static_cast<long long>(terms),
                backend_name(where).c_str(), found[0].error);
    for (std::size_t f = 1; f < found.size(); ++f)
      if (found[f].bits > 0)
        std::printf("%8.2g", found[f].error);
      else
        std::printf("  %s %.3g", found[f].name.c_str(), found[f].error);
    std::printf("%s\n", right ? "" : "  WRONG");
    std::fflush(stdout);
    right_ = right_ && right;
    cases_.push_back({{"data", data},
                      {"type", type},
                      {"terms", terms},
                      {"backend", backend_name(where)},
                      {"right", right},
                      {"products", found}});
  }

  void write() const {
    nlohmann::ordered_json context = nlohmann::ordered_json::object(), file;
    for (const auto& [name, value] : context_) context[name] = value;
    file["schema"] = "abax-accuracy 1";
    file["context"] = context;
    file["seed"] = what_.seed;
    file["rows"] = rows;
    file["cols"] = cols;
    file["cases"] = cases_;
    write_whole(what_.json, file.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  selection what_;
  text_lines context_;
  std::vector<peer_search> searches_;
  std::vector<nlohmann::ordered_json> cases_;
  bool right_ = true;
};

}  // namespace

bool run(const selection& what) { return course(what).run(); }

}  // namespace abax::perf::accuracy
