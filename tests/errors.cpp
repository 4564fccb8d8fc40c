// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad arguments: what is thrown, what it says, and that nothing has been written. And what must not be refused.
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
namespace launch = abax::launch;
namespace tile = abax::tile;

namespace {

using T = double;

// One allocation from which operands are cut, overlapping where a test wants it.
template <class Exec>
class arena {
 public:
  using memory = typename Exec::memory_space;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using matrix_view = Kokkos::View<T**, Kokkos::LayoutStride, memory, unmanaged>;
  using vector_view = Kokkos::View<T*, Kokkos::LayoutStride, memory, unmanaged>;
  using scalar_view = Kokkos::View<T, memory, unmanaged>;

  arena() : data_("arena", size), image_(random_vector<T>(size, numbers::unit, 11)) { upload(); }

  /// rows x cols elements from `first` on, `row` and `col` elements apart.
  matrix_view at(index_t first, int rows, int cols, int row, int col) const {
    return matrix_view(data_.data() + first, Kokkos::LayoutStride(rows, row, cols, col));
  }
  vector_view at(index_t first, int extent, int stride = 1) const {
    return vector_view(data_.data() + first, Kokkos::LayoutStride(extent, stride));
  }
  scalar_view at(index_t first) const { return scalar_view(data_.data() + first); }

  std::string change() const { return difference(now(), image_); }
  void upload() const {
    Kokkos::deep_copy(data_, Kokkos::View<const T*, Kokkos::HostSpace, unmanaged>(image_.elements.data(), size));
  }
  matrix<T> now() const {
    matrix<T> result(size, 1);
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, unmanaged>(result.elements.data(), size), data_);
    return result;
  }
  /// The elements that a View of this arena names, in a copy of its memory.
  matrix<T> read(const matrix<T>& memory_copy, const matrix_view& view) const {
    matrix<T> result(view.extent(0), view.extent(1));
    for (index_t j = 0; j < result.cols; ++j)
      for (index_t i = 0; i < result.rows; ++i)
        result(i, j) =
            memory_copy(view.data() - data_.data() + i * index_t(view.stride(0)) + j * index_t(view.stride(1)));
    return result;
  }
  const matrix<T>& before() const { return image_; }

 private:
  static constexpr index_t size = 4096;
  Kokkos::View<T*, memory> data_;
  matrix<T> image_;
};

// The message of the Error that `call` throws; says so if it throws nothing.
template <class Error, class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

bool says(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (message.find(word) == std::string::npos) return false;
  return true;
}

// REQUIRE that `call` throws invalid_argument saying all these words, and writes nothing.
template <class Exec, class Call>
void refused(const Exec& exec, const arena<Exec>& memory, std::initializer_list<const char*> words, const Call& call) {
  const std::string said = message<abax::invalid_argument>(call);
  exec.fence();
  CAPTURE(Exec::name(), said);
  REQUIRE(says(said, words));
  REQUIRE(memory.change() == "");
}

template <class Check>
void for_each_arena(const Check& check) {
  for_each_space([&](const auto& exec) { check(exec, arena<std::decay_t<decltype(exec)>>()); });
}

}  // namespace

TEST_CASE("Extents that disagree are refused with both of them", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    const auto A = m.at(0, 3, 4, 1, 3), B = m.at(100, 4, 5, 1, 4), C = m.at(200, 3, 5, 1, 3),
               wrong = m.at(300, 7, 9, 1, 7);
    const auto x = m.at(1000, 4), y = m.at(1100, 3), wrong_x = m.at(1200, 11);
    const auto gemm = [&](const char* ta, const char* tb, const auto& a, const auto& b, const auto& c) {
      return [=] { abax::gemm(exec, ta, tb, 1.0, a, b, 0.0, c); };
    };
    refused(exec, m, {"abax::gemm", "op(A)", "extent 0", "C", "7", "3"}, gemm("N", "N", wrong, B, C));
    refused(exec, m, {"abax::gemm", "op(A)", "extent 0", "C", "4", "3"}, gemm("T", "N", A, B, C));
    refused(exec, m, {"abax::gemm", "op(A)", "op(B)", "4", "7"}, gemm("N", "N", A, wrong, C));
    refused(exec, m, {"abax::gemm", "op(A)", "op(B)", "4", "5"}, gemm("N", "T", A, B, C));
    refused(exec, m, {"abax::gemm", "op(B)", "extent 1", "C", "5", "4"}, gemm("N", "N", A, B, m.at(400, 3, 4, 1, 3)));
    refused(exec, m, {"abax::gemm", "op(A)", "C", "3", "0"}, gemm("N", "N", A, B, m.at(400, 0, 5, 1, 3)));
    const auto square = m.at(400, 3, 3, 1, 3);
    refused(exec, m, {"abax::gemmt", "extent 0 of C is 3", "extent 1 of C is 5"},
            [&] { abax::gemmt(exec, "L", "N", "N", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::gemmt", "extent 0 of op(A) is 4", "extent 0 of C is 3"},
            [&] { abax::gemmt(exec, "L", "T", "N", 1.0, A, B, 0.0, square); });
    refused(exec, m, {"abax::gemmt", "extent 1 of op(A) is 4", "extent 0 of op(B) is 7"},
            [&] { abax::gemmt(exec, "L", "N", "N", 1.0, A, wrong, 0.0, square); });
    refused(exec, m, {"abax::gemmt", "extent 1 of op(B) is 5", "extent 1 of C is 3"},
            [&] { abax::gemmt(exec, "L", "N", "N", 1.0, A, B, 0.0, square); });
    refused(exec, m, {"abax::syrk", "extent 0 of C is 3", "extent 1 of C is 5"},
            [&] { abax::syrk(exec, "U", "N", 1.0, A, 0.0, C); });
    refused(exec, m, {"abax::syrk", "extent 0 of op(A) is 4", "extent 0 of C is 3"},
            [&] { abax::syrk(exec, "U", "T", 1.0, A, 0.0, square); });
    refused(exec, m, {"abax::gemv", "op(A)", "extent of y", "3", "11"},
            [&] { abax::gemv(exec, "N", 1.0, A, x, 0.0, wrong_x); });
    refused(exec, m, {"abax::gemv", "op(A)", "extent of x", "4", "11"},
            [&] { abax::gemv(exec, "N", 1.0, A, wrong_x, 0.0, y); });
    refused(exec, m, {"abax::gemv", "op(A)", "extent of y", "4", "3"},
            [&] { abax::gemv(exec, "T", 1.0, A, x, 0.0, y); });
    refused(exec, m, {"abax::transpose", "A", "B", "3", "4"}, [&] { abax::transpose(exec, A, m.at(500, 3, 4, 1, 3)); });
    refused(exec, m, {"abax::transpose", "A", "B", "4", "5"}, [&] { abax::transpose(exec, A, m.at(500, 5, 3, 1, 5)); });
    refused(exec, m, {"abax::transpose", "extent 0 of A is 3", "extent 1 of A is 4"},
            [&] { abax::transpose(exec, A); });
    refused(exec, m, {"abax::dot", "x", "y", "4", "3"}, [&] { abax::dot(exec, x, y, m.at(2000)); });
    refused(exec, m, {"abax::axpby", "x", "y", "4", "3"}, [&] { abax::axpby(exec, 2.0, x, 3.0, y); });
    refused(exec, m, {"abax::scal", "x", "y", "4", "3"}, [&] { abax::scal(exec, y, 2.0, x); });
    refused(exec, m, {"abax::copy", "x", "y", "4", "3"}, [&] { abax::copy(exec, x, y); });
    refused(exec, m, {"abax::triad", "x", "z", "4", "11"}, [&] { abax::triad(exec, 2.0, x, wrong_x, wrong_x); });
    refused(exec, m, {"abax::copy", "extent 0 of x is 4", "extent 0 of y is 3"}, [&] { abax::copy(exec, B, C); });
    refused(exec, m, {"abax::axpby", "extent 1 of x is 4", "extent 1 of y is 5"},
            [&] { abax::axpby(exec, 2.0, A, 3.0, C); });
    refused(exec, m, {"abax::triad", "y", "z", "4", "11"}, [&] { abax::triad(exec, 2.0, wrong_x, x, wrong_x); });
  });
}

TEST_CASE("An unknown, empty or missing transposition is refused", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    const auto A = m.at(0, 3, 3, 1, 3), B = m.at(100, 3, 3, 1, 3), C = m.at(200, 3, 3, 1, 3);
    const auto x = m.at(1000, 3), y = m.at(1100, 3);
    const char* const none = nullptr;
    refused(exec, m, {"abax::gemm", "transA", "X"}, [&] { abax::gemm(exec, "X", "N", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::gemm", "transB", "1"}, [&] { abax::gemm(exec, "N", "1", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::gemm", "transB", "empty"}, [&] { abax::gemm(exec, "N", "", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::gemm", "transA", "empty"}, [&] { abax::gemm(exec, none, "N", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::gemmt", "uplo is 'N', expected \"L\" or \"U\""},
            [&] { abax::gemmt(exec, "N", "N", "N", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::gemmt", "transB", "X"}, [&] { abax::gemmt(exec, "L", "N", "X", 1.0, A, B, 0.0, C); });
    refused(exec, m, {"abax::syrk", "uplo is empty"}, [&] { abax::syrk(exec, none, "N", 1.0, A, 0.0, C); });
    refused(exec, m, {"abax::syrk", "trans", "X"}, [&] { abax::syrk(exec, "L", "X", 1.0, A, 0.0, C); });
    refused(exec, m, {"abax::gemv", "trans", "H"}, [&] { abax::gemv(exec, "H", 1.0, A, x, 0.0, y); });
    refused(exec, m, {"abax::gemv", "trans", "empty"}, [&] { abax::gemv(exec, none, 1.0, A, x, 0.0, y); });
    // Also where nothing would be computed.
    refused(exec, m, {"abax::gemm", "transA", "X"}, [&] {
      abax::gemm(exec, "X", "N", 1.0, m.at(0, 0, 0, 1, 1), m.at(0, 0, 0, 1, 1), 1.0, m.at(0, 0, 0, 1, 1));
    });
  });
}

TEST_CASE("A null View of elements that would be read or written is refused", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    const auto A = m.at(0, 3, 4, 1, 3), B = m.at(100, 4, 5, 1, 4), C = m.at(200, 3, 5, 1, 3);
    const auto x = m.at(1000, 4), y = m.at(1100, 3);
    const auto result = m.at(2000);
    const auto null = [](const auto& view) {
      auto none = view;
      if constexpr (view.rank() == 0)
        none = std::decay_t<decltype(view)>(nullptr);
      else
        none = std::decay_t<decltype(view)>(nullptr, view.layout());
      return none;
    };
    refused(exec, m, {"abax::gemm: A (3 x 4) is null"}, [&] { abax::gemm(exec, "N", "N", 1.0, null(A), B, 0.0, C); });
    refused(exec, m, {"abax::gemm: B (4 x 5) is null"}, [&] { abax::gemm(exec, "N", "N", 1.0, A, null(B), 0.0, C); });
    refused(exec, m, {"abax::syrk: A (3 x 4) is null"},
            [&] { abax::syrk(exec, "L", "N", 1.0, null(A), 0.0, m.at(300, 3, 3, 1, 3)); });
    refused(exec, m, {"abax::gemmt: C (3 x 3) is null"},
            [&] { abax::gemmt(exec, "L", "N", "T", 1.0, A, A, 0.0, null(m.at(300, 3, 3, 1, 3))); });
    refused(exec, m, {"abax::gemm: C (3 x 5) is null"}, [&] { abax::gemm(exec, "N", "N", 1.0, A, B, 0.0, null(C)); });
    refused(exec, m, {"abax::gemm: C (3 x 5) is null"},
            [&] { abax::gemm(exec, "N", "N", 0.0, null(A), null(B), 2.0, null(C)); });
    refused(exec, m, {"abax::gemv: A (3 x 4) is null"}, [&] { abax::gemv(exec, "N", 1.0, null(A), x, 0.0, y); });
    refused(exec, m, {"abax::gemv: x (4 x 1) is null"}, [&] { abax::gemv(exec, "N", 1.0, A, null(x), 0.0, y); });
    refused(exec, m, {"abax::gemv: y (3 x 1) is null"}, [&] { abax::gemv(exec, "N", 1.0, A, x, 0.0, null(y)); });
    refused(exec, m, {"abax::dot: x (4 x 1) is null"}, [&] { abax::dot(exec, null(x), x, result); });
    refused(exec, m, {"abax::dot: y (4 x 1) is null"}, [&] { abax::dot(exec, x, null(x), result); });
    refused(exec, m, {"abax::dot: result (1 x 1) is null"}, [&] { abax::dot(exec, x, x, null(result)); });
    refused(exec, m, {"abax::dot: x (4 x 1) is null"}, [&] { abax::dot(exec, null(x), x); });
    refused(exec, m, {"abax::transpose: A (3 x 4) is null"},
            [&] { abax::transpose(exec, null(A), m.at(500, 4, 3, 1, 4)); });
    refused(exec, m, {"abax::transpose: B (4 x 3) is null"},
            [&] { abax::transpose(exec, A, null(m.at(500, 4, 3, 1, 4))); });
    refused(exec, m, {"abax::transpose: A (4 x 4) is null"},
            [&] { abax::transpose(exec, null(m.at(500, 4, 4, 1, 4))); });
    const auto other = m.at(1200, 4);
    refused(exec, m, {"abax::axpby: x (4 x 1) is null"}, [&] { abax::axpby(exec, 2.0, null(x), 3.0, other); });
    refused(exec, m, {"abax::axpby: y (4 x 1) is null"}, [&] { abax::axpby(exec, 2.0, x, 3.0, null(other)); });
    refused(exec, m, {"abax::scal: y (4 x 1) is null"}, [&] { abax::scal(exec, null(other), 2.0, x); });
    refused(exec, m, {"abax::copy: x (3 x 4) is null"}, [&] { abax::copy(exec, null(A), m.at(500, 3, 4, 1, 3)); });
    refused(exec, m, {"abax::copy: y (4 x 1) is null"}, [&] { abax::copy(exec, x, null(other)); });
    refused(exec, m, {"abax::triad: y (4 x 1) is null"}, [&] { abax::triad(exec, 2.0, x, null(x), other); });
    refused(exec, m, {"abax::increment: x (4 x 1) is null"}, [&] { abax::increment(exec, 2.0, null(x)); });

    // What is not read may be null, and so may what has no elements.
    abax::gemm(exec, "N", "N", 0.0, null(A), null(B), 1.0, C);
    abax::axpby(exec, 0.0, null(x), 1.0, other);
    abax::gemm(exec, "N", "N", 1.0, A, null(m.at(100, 4, 0, 1, 4)), 0.0, null(m.at(200, 3, 0, 1, 3)));
    abax::copy(exec, null(m.at(100, 0)), null(m.at(100, 0)));
    exec.fence();
    REQUIRE(m.change() == "");
  });
}

TEST_CASE("An output that shares memory with an input is refused", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    const auto A = m.at(0, 4, 4, 1, 8), B = m.at(100, 4, 4, 1, 8);
    const auto gemm = [&](const auto& a, const auto& b, const auto& c) {
      return [=] { abax::gemm(exec, "N", "N", 1.0, a, b, 0.0, c); };
    };
    refused(exec, m, {"abax::gemmt", "output C (4 x 4)", "input B (4 x 4)"},
            [&] { abax::gemmt(exec, "L", "N", "N", 1.0, A, B, 0.0, B); });
    refused(exec, m, {"abax::syrk", "output C (4 x 4)", "input A (4 x 4)"},
            [&] { abax::syrk(exec, "L", "N", 1.0, A, 0.0, A); });
    const auto a_is_it = {"abax::gemm", "output C (4 x 4)", "input A (4 x 4)"};
    refused(exec, m, a_is_it, gemm(A, B, A));
    refused(exec, m, {"abax::gemm", "output C (4 x 4)", "input B (4 x 4)"}, gemm(A, B, B));
    refused(exec, m, a_is_it, gemm(A, B, m.at(27, 4, 4, 1, 8)));   // the last corner: element (3, 3)
    refused(exec, m, a_is_it, gemm(A, B, m.at(3, 4, 4, 1, 8)));    // row 3 of A is row 0 of C
    refused(exec, m, a_is_it, gemm(A, B, m.at(24, 4, 4, 1, 8)));   // column 3 of A is column 0 of C
    refused(exec, m, a_is_it, gemm(A, B, m.at(0, 4, 4, 8, 1)));    // A itself, transposed
    refused(exec, m, a_is_it, gemm(A, B, m.at(1, 4, 4, 1, 16)));   // another leading dimension: element (1, 0)
    refused(exec, m, a_is_it, gemm(A, B, m.at(0, 4, 4, 3, 500)));  // another step
    refused(exec, m, {"abax::gemv", "output y", "input A"},
            [&] { abax::gemv(exec, "N", 1.0, A, m.at(200, 4), 0.0, m.at(8, 4)); });
    refused(exec, m, {"abax::gemv", "output y", "input A"},
            [&] { abax::gemv(exec, "N", 1.0, A, m.at(200, 4), 0.0, m.at(1, 4, 8)); });
    refused(exec, m, {"abax::gemv", "output y", "input x"},
            [&] { abax::gemv(exec, "N", 1.0, A, m.at(200, 4), 0.0, m.at(203, 4)); });
    refused(exec, m, {"abax::transpose", "output B", "input A"}, [&] { abax::transpose(exec, A, A); });
    refused(exec, m, {"abax::transpose", "output B", "input A"},
            [&] { abax::transpose(exec, A, m.at(27, 4, 4, 8, 1)); });
    refused(exec, m, {"abax::dot", "result", "input x"}, [&] { abax::dot(exec, m.at(0, 9), m.at(50, 9), m.at(8)); });
    refused(exec, m, {"abax::dot", "result", "input y"},
            [&] { abax::dot(exec, m.at(0, 9), m.at(50, 9, 2), m.at(66)); });
    refused(exec, m, {"abax::axpby", "output y", "input x"},
            [&] { abax::axpby(exec, 2.0, m.at(0, 9), 3.0, m.at(1, 9)); });
    refused(exec, m, {"abax::axpby", "output y", "input x"},
            [&] { abax::axpby(exec, 2.0, m.at(0, 9), 3.0, m.at(0, 9, 2)); });
    refused(exec, m, {"abax::scal", "output y", "input x"}, [&] { abax::scal(exec, m.at(8, 9), 3.0, m.at(0, 9)); });
    refused(exec, m, {"abax::copy", "output y", "input x"}, [&] { abax::copy(exec, m.at(0, 9), m.at(4, 9)); });
    refused(exec, m, {"abax::triad", "output z", "input x"},
            [&] { abax::triad(exec, 2.0, m.at(0, 9), m.at(100, 9), m.at(1, 9)); });
    refused(exec, m, {"abax::triad", "output z", "input y"},
            [&] { abax::triad(exec, 2.0, m.at(0, 9), m.at(100, 9), m.at(99, 9)); });
  });
}

TEST_CASE("A matrix with the output's address but other strides is no output in place", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    const auto Y = m.at(0, 4, 3, 1, 4), wide = m.at(0, 4, 3, 1, 8), row = m.at(0, 1, 9, 1, 1),
               far = m.at(0, 1, 9, 1, 2);
    const auto square = m.at(0, 3, 3, 1, 3), column = m.at(0, 3, 3, 1, 0);
    const std::initializer_list<const char*> words = {"output y", "shares memory with input x"};
    refused(exec, m, words, [&] { abax::axpby(exec, 2.0, wide, 3.0, Y); });
    refused(exec, m, words, [&] { abax::axpby(exec, 2.0, far, 3.0, row); });
    refused(exec, m, words, [&] { abax::scal(exec, square, 2.0, column); });
    refused(exec, m, {"output z", "shares memory with input y"},
            [&] { abax::triad(exec, 2.0, m.at(500, 4, 3, 1, 4), wide, Y); });
  });
}

TEST_CASE("An output that names an element twice is refused", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    const auto A = m.at(0, 3, 3, 1, 3), B = m.at(100, 3, 3, 1, 3);
    const auto x = m.at(1000, 3);
    for (const auto& C : {m.at(200, 3, 3, 1, 2), m.at(200, 3, 3, 1, 1), m.at(200, 3, 3, 0, 3), m.at(200, 3, 3, 2, 4),
                          m.at(200, 3, 3, 2, 2)}) {
      refused(exec, m, {"abax::gemm", "output C (3 x 3)"}, [&] { abax::gemm(exec, "N", "N", 1.0, A, B, 0.0, C); });
      refused(exec, m, {"abax::transpose", "output B (3 x 3)"}, [&] { abax::transpose(exec, A, C); });
      refused(exec, m, {"abax::transpose", "output A (3 x 3)"}, [&] { abax::transpose(exec, C); });
    }
    const auto same = m.at(300, 3, 0);
    refused(exec, m, {"abax::gemv", "output y"}, [&] { abax::gemv(exec, "N", 1.0, A, x, 0.0, same); });
    refused(exec, m, {"abax::axpby", "output y"}, [&] { abax::axpby(exec, 2.0, x, 1.0, same); });
    refused(exec, m, {"abax::scal", "output y"}, [&] { abax::scal(exec, same, 2.0, x); });
    refused(exec, m, {"abax::copy", "output y"}, [&] { abax::copy(exec, x, same); });
    refused(exec, m, {"abax::triad", "output z"}, [&] { abax::triad(exec, 2.0, x, x, same); });
    refused(exec, m, {"abax::increment", "x"}, [&] { abax::increment(exec, 2.0, same); });
  });
}

namespace {

// REQUIRE that C <- A B is computed, whatever memory the three share a parent in.
template <class Exec, class View>
void accepted(const Exec& exec, const arena<Exec>& m, const View& A, const View& B, const View& C) {
  const matrix<T> a = m.read(m.before(), A), b = m.read(m.before(), B), c = m.read(m.before(), C);
  abax::gemm(exec, "N", "N", 2.0, A, B, 3.0, C);
  exec.fence();
  CAPTURE(Exec::name());
  REQUIRE(difference(m.read(m.now(), C), abax::reference::gemm('N', 'N', 2.0, a, b, 3.0, c)) == "");
  m.upload();
}

}  // namespace

TEST_CASE("Operands that share a parent but no element are accepted", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    // Blocks of a parent with 16 rows, side by side in every direction; then of one stored by rows.
    accepted(exec, m, m.at(0, 4, 5, 1, 16), m.at(4, 5, 3, 1, 16), m.at(9, 4, 3, 1, 16));
    accepted(exec, m, m.at(0, 4, 5, 1, 16), m.at(80, 5, 3, 1, 16), m.at(128, 4, 3, 1, 16));
    accepted(exec, m, m.at(12, 4, 5, 1, 16), m.at(5 * 16, 5, 3, 1, 16), m.at(8, 4, 3, 1, 16));
    accepted(exec, m, m.at(0, 4, 5, 16, 1), m.at(5, 5, 3, 16, 1), m.at(8, 4, 3, 16, 1));
    // Interleaved columns, rows, and both.
    accepted(exec, m, m.at(0, 4, 5, 1, 32), m.at(500, 5, 3, 1, 8), m.at(16, 4, 3, 1, 32));
    accepted(exec, m, m.at(0, 4, 5, 2, 16), m.at(500, 5, 3, 2, 16), m.at(1, 4, 3, 2, 16));
    accepted(exec, m, m.at(0, 4, 5, 2, 32), m.at(1, 5, 3, 2, 32), m.at(16, 4, 3, 2, 32));
    // Both inputs the same, or overlapping: only outputs must be apart.
    accepted(exec, m, m.at(0, 4, 4, 1, 4), m.at(0, 4, 4, 1, 4), m.at(100, 4, 4, 1, 4));
    accepted(exec, m, m.at(0, 4, 4, 1, 4), m.at(3, 4, 4, 4, 1), m.at(100, 4, 4, 1, 4));
    // Inputs may name elements twice.
    accepted(exec, m, m.at(0, 4, 4, 0, 1), m.at(50, 4, 4, 1, 0), m.at(100, 4, 4, 1, 4));
    // Nothing to write: no conflict.
    accepted(exec, m, m.at(0, 0, 4, 1, 4), m.at(0, 4, 4, 1, 4), m.at(0, 0, 4, 1, 4));
    // One row or column: its other stride means nothing.
    accepted(exec, m, m.at(0, 1, 4, 1, 1), m.at(50, 4, 4, 1, 4), m.at(100, 1, 4, 0, 1));

    abax::axpby(exec, 2.0, m.at(0, 9, 2), 3.0, m.at(1, 9, 2));  // interleaved
    abax::copy(exec, m.at(0, 9), m.at(9, 9));                   // end to end
    abax::dot(exec, m.at(0, 9, 2), m.at(0, 9, 2), m.at(18));    // right behind x
    exec.fence();
  });
}

// The updates of blocked factorisations: a row or column of a matrix computed from a block of the same matrix.
TEST_CASE("A row, a column and a block of one parent are accepted side by side", "[errors]") {
  for_each_arena([](const auto& exec, const auto& m) {
    using Exec = std::decay_t<decltype(exec)>;
    constexpr int ld = 16;
    struct {
      index_t a, x, y;
      int x_stride, y_stride;
    } const cases[] = {
        {0, 5 * ld, 5 * ld + 4, 1, 1},   // A above y's rows, y in a later column
        {4, 3 * ld, 2 * ld, 1, 1},       // y above A, in one of A's columns
        {0, 12, 4, ld, ld},              // y the row below A, x a row further down
        {1, 10, 0, ld, ld},              // y the row above A
        {1, 2 * ld + 8, 2 * ld, 1, ld},  // y a part of the row above A, x a column beside A
    };
    for (const auto& c : cases) {
      const auto A = m.at(c.a, 4, 4, 1, ld);
      const auto x = m.at(c.x, 4, c.x_stride), y = m.at(c.y, 4, c.y_stride);
      const auto y_as_matrix = m.at(c.y, 4, 1, c.y_stride, 1);
      const matrix<T> a = m.read(m.before(), A), b = m.read(m.before(), m.at(c.x, 4, 1, c.x_stride, 1)),
                      before = m.read(m.before(), y_as_matrix);
      CAPTURE(Exec::name(), c.a, c.x, c.y, c.x_stride, c.y_stride);
      REQUIRE_NOTHROW(abax::gemv(exec, "N", -1.0, A, x, 1.0, y));
      exec.fence();
      REQUIRE(difference(m.read(m.now(), y_as_matrix), abax::reference::gemv('N', -1.0, a, b, 1.0, before)) == "");
      m.upload();
    }
  });
}

TEST_CASE("A plan that needs more scratch than the machine has is refused with both sizes", "[errors]") {
  for_each_backend([]<class Backend>(std::type_identity<Backend>, const auto& exec, const std::string& name) {
    using Exec = std::decay_t<decltype(exec)>;
    const arena<Exec> m;
    const tile::product<T> problem{launch::input_matrix(m.at(0, 3, 4, 1, 3)),
                                   launch::input_matrix(m.at(100, 4, 5, 1, 4)),
                                   launch::matrix_of(m.at(200, 3, 5, 1, 3)),
                                   {1.0, 0.0}};
    auto machine = Backend::machine(exec);
    for (const auto& plan : launch::plans<Backend, launch::shape::matrix>(problem, machine)) {
      const std::size_t needed = plan.row->scratch_bytes(problem, plan.tile, machine);
      machine.team_scratch = needed - 1;
      const std::string said =
          message<abax::resource_error>([&] { launch::run_product("abax::gemm", exec, machine, problem, plan); });
      exec.fence();
      CAPTURE(name, said);
      REQUIRE(says(said,
                   {"abax::gemm", plan.row->name, std::to_string(needed).c_str(), std::to_string(needed - 1).c_str()}));
      REQUIRE(m.change() == "");
    }
  });
}

TEST_CASE("More teams than can be counted are refused", "[errors]") {
  const std::string said = message<abax::resource_error>([] { launch::league("abax::gemm", index_t(1) << 31); });
  REQUIRE(says(said, {"abax::gemm", "2147483648 teams", "at most"}));
  REQUIRE(launch::league("abax::gemm", (index_t(1) << 31) - 2) == 2147483646);
}
