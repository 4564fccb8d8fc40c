// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A product of operands that are copied to aligned lines first, whether or not that pays.
#include "portable_rows.hpp"

namespace abax::tests {

/// C <- alpha A B + beta C on copies of `which` operands; false where there is no memory for them.
template <class Backend, class T>
bool multiply_copies(const typename Backend::instance& exec, const tile::product<T>& problem,
                     const backends::copies& which) {
  return launch::run_on_copies<Backend>("test", exec, problem, which, [&](const tile::product<T>& aligned) {
    launch::plan_and_run<Backend, launch::shape::matrix>("test", exec, Backend::machine(exec), aligned);
  });
}

}  // namespace abax::tests
