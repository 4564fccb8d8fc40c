// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.hpp"

#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "one_call.hpp"

namespace abax::tests::fuzz {
namespace {

template <class T>
void make(one_call& c) {
  switch (c.choose.below(16)) {
    case 0:
    case 1:
      return batch<T>(c);
    case 2:
    case 3:
    case 4:
      return vector<T>(c);
    case 5:
    case 6:
      return transposition<T>(c);
    case 7:
    case 8:
    case 9:
      return c.is_native() ? stream<T>(c) : vector<T>(c);
    default:
      return product<T>(c);
  }
}

}  // namespace

caller::caller(bool native, bool tells) : native_(native), tells_(tells) {
  const char* const word = std::getenv("ABAX_BLAS_INTEGER");
  const double size = word == nullptr ? 0 : std::atof(word);
  integer_terms_ = size == 0 ? std::numeric_limits<double>::infinity() : size * size * size;
  abax_stream* stream = nullptr;
  if (abax_open(ABAX_HOST, nullptr, 0, &stream) != ABAX_SUCCESS) throw std::runtime_error("no stream on the host");
  stream_.reset(stream);
}

std::string caller::call(choices& choose) {
  one_call c{choose, stream_.get(), rooms_, tells_, integer_terms_, face(choose.below(native_ ? 5 : 4))};
  const int type = choose.below(4);
  if (type == 0) make<float>(c);
  if (type == 1) make<double>(c);
  if (type == 2) make<c32>(c);
  if (type == 3) make<c64>(c);
  ++by_kernel_[std::string(c.kernel) + " " + "sdcz"[type]];
  ++by_face_[c.is_native() ? "abax.h" : c.is_cblas() ? "CBLAS" : "Fortran"];
  refused_ += c.refused;
  return c.wrong.empty() ? "" : std::string(c.kernel) + ' ' + "sdcz"[type] + ": " + c.wrong;
}

}  // namespace abax::tests::fuzz
