// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What rows of products cost, fitted to how long they took: so that the row which the planner chooses is the fastest.
///
/// Rows of one name do the same on operands that lie differently: their costs keep their ratios, and each name has
/// three factors, of rate, ends and alone (tile::product_cost).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abax/detail/launch/plan.hpp"
#include "abax/detail/launch/tuning.hpp"

namespace abax::perf {

/// Rows, and what each is said to cost.
class row_costs {
 public:
  struct row {
    launch::row_name name;
    tile::product_cost cost;
  };

  /// Where the row stands in all(); a new one has `cost`.
  std::size_t index(const launch::row_name& name, const tile::product_cost& cost) {
    const auto [known, is_new] = index_.try_emplace(name, all_.size());
    if (is_new) all_.push_back({name, cost});
    return known->second;
  }
  const std::vector<row>& all() const { return all_; }
  tile::product_cost& cost(std::size_t row) { return all_[row].cost; }
  const tile::product_cost& cost(std::size_t row) const { return all_[row].cost; }

 private:
  std::vector<row> all_;
  std::map<launch::row_name, std::size_t> index_;
};

/// A product, and how long it took by each row.
template <class T>
struct timed_product {
  struct row {
    std::size_t index;  ///< of row_costs
    tile::product_tile tile;
    tile::cut cut;  ///< that of the costs it had; others may lead to another
    double seconds;
  };
  tile::product<T> problem;
  std::vector<row> rows;

  double fastest() const {
    double least = std::numeric_limits<double>::infinity();
    for (const row& r : rows) least = std::min(least, r.seconds);
    return least;
  }
};

/// The planner's, of a machine.
struct cost_model {
  backends::machine machine;
  double terms_in_second;  ///< in which launch::time_of counts
  double launch;           ///< seconds of every call

  template <class T>
  double seconds(const timed_product<T>& p, const typename timed_product<T>::row& r,
                 const tile::product_cost& cost) const {
    return launch::time_of(p.problem, r.tile, cost, machine, r.cut) / terms_in_second;
  }
};

/// How well the rows that are chosen do beside the fastest.
struct choices {
  int products = 0, within = 0;  ///< within 5 %
  double mean = 1;               ///< of their times over those of the fastest, geometric
};

template <class T>
choices choices_of(const row_costs& costs, const std::vector<timed_product<T>>& products, const cost_model& model) {
  choices found;
  double logs = 0;
  for (const timed_product<T>& p : products) {
    if (p.rows.empty()) continue;
    const auto predicted = [&](const auto& r) { return model.seconds(p, r, costs.cost(r.index)); };
    const auto chosen = std::min_element(p.rows.begin(), p.rows.end(),
                                         [&](const auto& a, const auto& b) { return predicted(a) < predicted(b); });
    const double ratio = chosen->seconds / p.fastest();
    ++found.products;
    found.within += ratio <= 1.05;
    logs += std::log(ratio);
  }
  if (found.products > 0) found.mean = std::exp(logs / found.products);
  return found;
}

/// Fits row_costs to products: factors are multiplied by smaller and smaller steps where the objective falls. That is,
/// of each product, what is lost by the rows that come near to being chosen, and how far predictions are off, of the
/// faster rows above all; and how far all factors are from one.
template <class T>
class cost_fit {
 public:
  cost_fit(const row_costs& start, const std::vector<timed_product<T>>& products, const cost_model& model)
      : costs_(start), products_(products), model_(model) {
    for (std::size_t r = 0; r < start.all().size(); ++r) names_[start.all()[r].name.row].rows.push_back(r);
    for (const timed_product<T>& p : products_) {
      predicted_.emplace_back();
      for (const auto& r : p.rows) predicted_.back().push_back(model_.seconds(p, r, costs_.cost(r.index)));
    }
    least_ = objective();
  }

  row_costs fitted() {
    constexpr int sweeps = 12, most_in_a_row = 16;
    double step = 0.2;
    for (int s = 0; s < sweeps; ++s) {
      int steps = 0;
      for (auto& [name, of_name] : names_)
        for (const cost_member cost : fitted_costs)
          for (const double factor : {1 + step, 1 / (1 + step)})
            for (int n = 0; n < most_in_a_row && falls(of_name, cost, factor); ++n) ++steps;
      step *= steps < 3 ? 0.5 : 0.8;
    }
    return costs_;
  }

 private:
  using cost_member = double tile::product_cost::*;
  static constexpr cost_member fitted_costs[3] = {&tile::product_cost::rate, &tile::product_cost::ends,
                                                  &tile::product_cost::alone};

  /// Rows of one name, and the factors of their costs.
  struct rows_of_name {
    std::vector<std::size_t> rows;
    tile::product_cost factors{.rate = 1, .ends = 1, .alone = 1};
  };

  void multiply(rows_of_name& of_name, cost_member cost, double factor) {
    of_name.factors.*cost *= factor;
    for (const std::size_t r : of_name.rows) costs_.cost(r).*cost *= factor;
  }
  void predict(const rows_of_name& of_name) {
    for (std::size_t p = 0; p < products_.size(); ++p)
      for (std::size_t r = 0; r < products_[p].rows.size(); ++r) {
        const auto& row = products_[p].rows[r];
        if (std::find(of_name.rows.begin(), of_name.rows.end(), row.index) != of_name.rows.end())
          predicted_[p][r] = model_.seconds(products_[p], row, costs_.cost(row.index));
      }
  }
  /// Takes the factor if the objective falls.
  bool falls(rows_of_name& of_name, cost_member cost, double factor) {
    multiply(of_name, cost, factor);
    predict(of_name);
    const double now = objective();
    if (now < least_ - 1e-6) {
      least_ = now;
      return true;
    }
    multiply(of_name, cost, 1 / factor);
    predict(of_name);
    return false;
  }
  double objective() const {
    constexpr double near = 0.1, fast = 0.3;              // e-fold widths, of logarithms of times
    constexpr double of_errors = 0.4, of_factors = 2e-4;  // weights
    double sum = 0;
    for (std::size_t p = 0; p < products_.size(); ++p) {
      const auto& rows = products_[p].rows;
      if (rows.empty()) continue;
      const double least = *std::min_element(predicted_[p].begin(), predicted_[p].end());
      const double fastest = products_[p].fastest();
      double lost = 0, shares = 0, errors = 0, weights = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double loss = std::log(rows[r].seconds / fastest);
        const double share = std::pow(least / predicted_[p][r], 1 / near);
        lost += share * loss;
        shares += share;
        const double error = std::log((predicted_[p][r] + model_.launch) / rows[r].seconds);
        const double weight = std::exp(-loss / fast);
        errors += weight * error * error;
        weights += weight;
      }
      sum += lost / shares + of_errors * errors / weights;
    }
    double factors = 0;
    for (const auto& [name, of_name] : names_)
      for (const cost_member cost : fitted_costs) {
        const double log_factor = std::log(of_name.factors.*cost);
        factors += log_factor * log_factor;
      }
    return sum / static_cast<double>(std::max<std::size_t>(1, products_.size())) + of_factors * factors;
  }

  row_costs costs_;
  const std::vector<timed_product<T>>& products_;
  const cost_model& model_;
  std::map<std::string, rows_of_name> names_;
  std::vector<std::vector<double>> predicted_;  // seconds without a call's own, by product and row
  double least_;
};

/// The costs that suit `products` best, not far from where they start.
template <class T>
row_costs fit(const row_costs& start, const std::vector<timed_product<T>>& products, const cost_model& model) {
  return cost_fit<T>(start, products, model).fitted();
}

}  // namespace abax::perf
