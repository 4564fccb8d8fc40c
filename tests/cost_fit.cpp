// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `abax-perf tune` makes of rows' times: of made-up rows on a made-up machine, whose costs are known.
#include "../perf/suite/cost_fit.hpp"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

using namespace abax::perf;
namespace launch = abax::launch;
namespace tile = abax::tile;
using abax::index_t;

namespace {

constexpr double terms_in_second = 2e11, launch_seconds = 2e-6;
constexpr tile::product_tile tiles[] = {{16, 16, 32, 8}, {64, 64, 16, 3}, {128, 128, 16, 1}};
constexpr tile::product_cost true_costs[] = {{.rate = 0.3, .ends = 90, .alone = 2},
                                             {.rate = 0.8, .ends = 60, .alone = 1.5},
                                             {.rate = 1.0, .ends = 200, .alone = 1}};

cost_model made_up_model() {
  abax::backends::machine machine{100, 200000};
  machine.in_turn = true;
  return {machine, terms_in_second, launch_seconds};
}

/// Two groups of each row; in the second all are slower.
row_costs made_up_rows() {
  row_costs rows;
  for (const int group : {0, 1})
    for (int r = 0; r < 3; ++r) {
      tile::product_cost cost = true_costs[r];
      if (group == 1) cost.rate *= 0.7;
      rows.index({"Made-up", sizeof(float), group, std::to_string(tiles[r].rows)}, cost);
    }
  return rows;
}

/// Products whose times are those that the model predicts by the true costs.
std::vector<timed_product<float>> made_up_products(int count, unsigned seed) {
  const cost_model model = made_up_model();
  const row_costs rows = made_up_rows();
  std::mt19937 engine(seed);
  const auto extent = [&](int octaves) {
    return index_t(std::exp2(octaves * (static_cast<double>(engine()) / 4294967296.0)));
  };
  std::vector<timed_product<float>> all;
  for (int p = 0; p < count; ++p) {
    timed_product<float> one{};
    const index_t m = 16 * extent(8), n = 16 * extent(8), k = 16 * extent(8);
    one.problem.a = {nullptr, m, k, 1, m};
    one.problem.b = {nullptr, k, n, 1, k};
    one.problem.c = tile::matrix<float>{nullptr, m, n, 1, m};
    one.problem.epilogue = {1, 0};
    for (std::size_t r = 0; r < 3; ++r) {
      const std::size_t index = r + (p % 2 == 0 ? 0 : 3);
      const tile::cut cut =
          launch::cut_for<launch::shape::matrix>(one.problem, tiles[r], rows.cost(index), model.machine);
      one.rows.push_back({index, tiles[r], cut, 0});
      one.rows.back().seconds = model.seconds(one, one.rows.back(), rows.cost(index)) + launch_seconds;
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace

TEST_CASE("Fitted costs choose better than those that they were fitted from", "[tuning]") {
  const cost_model model = made_up_model();
  const auto fitted_to = made_up_products(120, 1), others = made_up_products(120, 2);
  row_costs wrong = made_up_rows();
  for (std::size_t r = 0; r < wrong.all().size(); ++r) {
    if (r % 3 == 0) wrong.cost(r).rate *= 2;
    if (r % 3 == 1) wrong.cost(r).ends *= 4;
    if (r % 3 == 2) wrong.cost(r).rate *= 0.6;
  }
  const choices before = choices_of(wrong, others, model);
  const choices after = choices_of(fit(wrong, fitted_to, model), others, model);
  CAPTURE(before.mean, before.within, after.mean, after.within);
  REQUIRE(before.products == 120);
  REQUIRE(before.mean > 1.05);
  REQUIRE(after.mean < 1.01);
  REQUIRE(after.within > before.within);
}

TEST_CASE("A fit leaves costs that are right, and the ratios of rows of one name", "[tuning]") {
  const cost_model model = made_up_model();
  const auto products = made_up_products(120, 3);
  const row_costs right = made_up_rows(), fitted = fit(right, products, model);
  REQUIRE(choices_of(right, products, model).mean == 1);
  REQUIRE(choices_of(fitted, products, model).mean < 1.002);
  for (std::size_t r = 0; r < 3; ++r) {
    const double ratio = fitted.cost(r).rate / fitted.cost(r + 3).rate;
    REQUIRE(std::abs(ratio * 0.7 - 1) < 1e-9);
    REQUIRE(std::abs(fitted.cost(r).rate / right.cost(r).rate - 1) < 0.1);
  }
}

TEST_CASE("A row is known by its name, and costs at first what is said of it", "[tuning]") {
  row_costs rows;
  REQUIRE(rows.index({"Cuda", 4, 0, "64x32"}, true_costs[0]) == 0);
  REQUIRE(rows.index({"Cuda", 4, 1, "64x32"}, true_costs[1]) == 1);
  REQUIRE(rows.index({"Cuda", 4, 0, "64x32"}, true_costs[2]) == 0);
  REQUIRE(rows.all().size() == 2);
  REQUIRE(rows.cost(0).rate == true_costs[0].rate);
  REQUIRE(choices_of<float>(rows, {}, made_up_model()).mean == 1);
  REQUIRE(fit<float>(rows, {}, made_up_model()).all().size() == 2);
}
