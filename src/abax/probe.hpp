// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Whether the Kokkos and the compiler at hand make kernels that can be trusted with Views.
#include <Kokkos_Core.hpp>
#include <string>

#include "abax/detail/launch/operands.hpp"
#include "abax/detail/launch/probe.hpp"
#include "abax/error.hpp"

namespace abax {

/// Nothing, or a sentence that says how kernels on `exec` misread the Views they capture. Runs some ten kernels of one
/// thread and waits for them, less than a millisecond in all: once after Kokkos::initialize() is enough.
///
/// Kokkos before 4.7.02 has such a fault with nvcc 12.9 and later (docs/library.md). Abax' own kernels capture plain
/// pointers and are right all the same; a program's own would be wrong without a word.
template <class Exec>
requires(Kokkos::is_execution_space_v<Exec>) std::string view_fault(const Exec& exec = Exec()) {
  std::string fault;
  if constexpr (launch::compiles<Exec, double>()) fault = launch::probe<Exec>::fault(exec);
  if (fault.empty()) return fault;
  return std::string(Exec::name()) + ": " + fault +
         ". Kokkos before 4.7.02 does so with nvcc 12.9 and later: take a later one, or build it with "
         "-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON.";
}

/// Throws resource_error with that sentence.
template <class Exec>
requires(Kokkos::is_execution_space_v<Exec>) void require_right_views(const Exec& exec = Exec()) {
  if (const std::string fault = view_fault(exec); !fault.empty()) throw resource_error("abax: " + fault);
}

}  // namespace abax
