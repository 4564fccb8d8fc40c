// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// That a product may end with a functor of the caller's; nothing that every call would have to compile.

namespace abax::tile {

/// The functor of a product that has none.
struct no_functor {};

template <class T, class Functor = no_functor>
struct product;

}  // namespace abax::tile
