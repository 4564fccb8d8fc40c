// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The experiments' functions, a file each.
#include "experiment.hpp"

namespace abax::lab {

void run_tile(const settings& how, experiment_result& result);
void run_sweep(const settings& how, experiment_result& result);
void run_coalescing(const settings& how, experiment_result& result);
void run_transpose_ladder(const settings& how, experiment_result& result);
void run_product_ladder(const settings& how, experiment_result& result);
void run_vector(const settings& how, experiment_result& result);
void run_copies(const settings& how, experiment_result& result);
void run_ordering(const settings& how, experiment_result& result);
void run_carveout(const settings& how, experiment_result& result);
void run_memory(const settings& how, experiment_result& result);

/// Launches the kernel that reverses tiles by way of scratch, with its barrier or without: for racecheck, which
/// "ordering" runs over this program.
void race(const std::string& variant, bool barrier);

}  // namespace abax::lab
