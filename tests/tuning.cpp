// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ABAX_TUNING names: read as it is written, refused where it is anything else.
#include "abax/detail/launch/tuning.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <locale>
#include <sstream>
#include <string>

namespace launch = abax::launch;

namespace {

launch::tuning read(const std::string& text) {
  std::istringstream lines(text);
  return {lines, "machine.txt"};
}

}  // namespace

TEST_CASE("A tuning replaces the costs of the rows that it names, and of no others", "[tuning]") {
  const launch::tuning found = read(
      "abax tuning 1\n"
      "# a comment\n"
      "\n"
      "Cuda gemm f32 3 0.75 34 1.5 64x32  # another\n"
      "Cuda gemm f64 0 0.5 100 2 16x16 on tensor cores\n");
  const abax::tile::product_cost built_in{.rate = 1, .ends = 60, .alone = 1, .join = 27, .shares = 2, .least = 3};
  const auto of = [&](const char* space, std::size_t element, int group, const char* row) {
    return found.of({space, element, group, row}, built_in);
  };
  const abax::tile::product_cost tuned = of("Cuda", 4, 3, "64x32");
  REQUIRE(tuned.rate == 0.75);
  REQUIRE(tuned.ends == 34);
  REQUIRE(tuned.alone == 1.5);
  REQUIRE(tuned.join == built_in.join);
  REQUIRE(tuned.shares == built_in.shares);
  REQUIRE(tuned.least == built_in.least);
  REQUIRE(of("Cuda", 8, 0, "16x16 on tensor cores").alone == 2);
  for (const auto& cost : {of("Cuda", 8, 3, "64x32"), of("Cuda", 4, 2, "64x32"), of("Cuda", 4, 3, "64x3"),
                           of("OpenMP", 4, 3, "64x32"), of("Cuda", 8, 0, "16x16")}) {
    REQUIRE(cost.rate == built_in.rate);
    REQUIRE(cost.alone == built_in.alone);
  }
}

TEST_CASE("A tuning is read as it was written", "[tuning]") {
  launch::tuning written;
  written.set({"Cuda", 4, 0, "64x32"}, {0.625, 33.5, 1.25});
  written.set({"Cuda", 8, 7, "16x16 on tensor cores"}, {0.25, 1, 2});
  const std::string text = written.text();
  REQUIRE(text ==
          "abax tuning 1\n"
          "Cuda gemm f32 0 0.625 33.5 1.25 64x32\n"
          "Cuda gemm f64 7 0.25 1 2 16x16 on tensor cores\n");
  REQUIRE(read(text).text() == text);
  REQUIRE(read("abax tuning 1\n").text() == launch::tuning().text());
  REQUIRE(read("abax tuning 1\nCuda gemm f32 0 0.625 33.5 1.25 64x32 \t\r\r\n").text() ==
          "abax tuning 1\nCuda gemm f32 0 0.625 33.5 1.25 64x32\n");
}

TEST_CASE("A tuning is the same whatever the program's locale, and with a carriage return in each line", "[tuning]") {
  struct commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new commas));
  const std::string text = "abax tuning 1\nCuda gemm f32 0 0.625 33.5 1.25 64x32\n";
  const std::string again = read(text).text(),
                    of_lines = read("abax tuning 1\r\nCuda gemm f32 0 0.625 33.5 1.25 64x32\r\n").text();
  std::locale::global(before);
  REQUIRE(again == text);
  REQUIRE(of_lines == text);
}

TEST_CASE("Anything else is refused, by file, line and what was expected", "[tuning][errors]") {
  const auto refused = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    REQUIRE_THROWS_MATCHES(read(text), std::runtime_error, Catch::Matchers::Message(message));
  };
  const std::string heading = "abax: machine.txt, line 1: expected \"abax tuning 1\", found ";
  refused("", heading + "\"\"");
  refused("abax tuning 2\n", heading + "\"abax tuning 2\"");
  refused("abax tuning 1\nCuda gemm f32 3 1 1 1 64x32\nCuda gemm f32 3 1 2 1 64x32\n",
          "abax: machine.txt, line 3: expected each row once, found \"Cuda gemm f32 3 1 2 1 64x32\"");
  for (const std::string line :
       {"Cuda gemm f32 3 0.75 34 64x32", "Cuda gemm f32 3 0.75 34 1.5", "Cuda", "Cuda gemv f32 3 0.75 34 1.5 64x32",
        "Cuda gemm f16 3 0.75 34 1.5 64x32", "Cuda gemm f32 -1 0.75 34 1.5 64x32", "Cuda gemm f32 3 0 34 1.5 64x32",
        "Cuda gemm f32 3 0.75 -34 1.5 64x32", "Cuda gemm f32 3 0.75 34 nan 64x32", "Cuda gemm f32 3 1e999 34 1 64x32",
        "Cuda gemm f32 0.75 34 1.5 64x32", "Cuda gemm f32 3 0.75 34.1.5 64x32", "Cuda gemm f32 3 0.75 34 1.5x 64x32"})
    refused("abax tuning 1\n" + line + "\n",
            "abax: machine.txt, line 2: expected \"SPACE gemm f32|f64 GROUP RATE ENDS ALONE ROW\", with costs above 0, "
            "found \"" +
                line + "\"");
}
