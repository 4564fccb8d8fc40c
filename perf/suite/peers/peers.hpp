// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What Abax is measured beside: other libraries' routines for the same operation, found when the program runs.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../element.hpp"

namespace abax {
using index_t = std::int64_t;  // as tile/matrix.hpp says; this header serves sources without Kokkos, too
}  // namespace abax

namespace abax::perf {

/// Where a kernel runs: the host's execution space, or the GPU's.
enum class backend { host, device };

/// One library's routines: column-major matrices, arguments as in BLAS. Each answers false, having done nothing, where
/// the library has no such routine.
template <class T>
class routines {
 public:
  virtual ~routines() = default;

  /// C <- alpha op(A) op(B) + beta C; C: m x n, k terms.
  virtual bool gemm(char /*trans_a*/, char /*trans_b*/, index_t /*m*/, index_t /*n*/, index_t /*k*/, T /*alpha*/,
                    const T* /*a*/, index_t /*lda*/, const T* /*b*/, index_t /*ldb*/, T /*beta*/, T* /*c*/,
                    index_t /*ldc*/) const {
    return false;
  }
  /// One triangle of C <- alpha op(A) op(A)^T + beta C; C: n x n, k terms.
  virtual bool syrk(char /*uplo*/, char /*trans*/, index_t /*n*/, index_t /*k*/, T /*alpha*/, const T* /*a*/,
                    index_t /*lda*/, T /*beta*/, T* /*c*/, index_t /*ldc*/) const {
    return false;
  }
  /// One triangle of C <- alpha op(A) op(A)^H + beta C; C: n x n, k terms, complex.
  virtual bool herk(char /*uplo*/, char /*trans*/, index_t /*n*/, index_t /*k*/, tile::real_of<T> /*alpha*/,
                    const T* /*a*/, index_t /*lda*/, tile::real_of<T> /*beta*/, T* /*c*/, index_t /*ldc*/) const {
    return false;
  }
  /// y <- alpha op(A) x + beta y; A: m x n as stored.
  virtual bool gemv(char /*trans*/, index_t /*m*/, index_t /*n*/, T /*alpha*/, const T* /*a*/, index_t /*lda*/,
                    const T* /*x*/, T /*beta*/, T* /*y*/) const {
    return false;
  }
  /// C <- A B, of `items` products of n x n that follow one another without gaps.
  virtual bool gemm_batched(index_t /*n*/, index_t /*items*/, const T* /*a*/, const T* /*b*/, T* /*c*/) const {
    return false;
  }
  /// y <- A x, likewise.
  virtual bool gemv_batched(index_t /*n*/, index_t /*items*/, const T* /*a*/, const T* /*x*/, T* /*y*/) const {
    return false;
  }
  /// result <- x . y
  virtual bool dot(index_t /*n*/, const T* /*x*/, const T* /*y*/, T* /*result*/) const { return false; }
  /// result <- conj(x) . y, complex
  virtual bool dotc(index_t /*n*/, const T* /*x*/, const T* /*y*/, T* /*result*/) const { return false; }
  /// B <- A^T or A^H; A: m x n.
  virtual bool transpose(char /*trans*/, index_t /*m*/, index_t /*n*/, const T* /*a*/, index_t /*lda*/, T* /*b*/,
                         index_t /*ldb*/) const {
    return false;
  }
  /// y <- x
  virtual bool copy(index_t /*n*/, const T* /*x*/, T* /*y*/) const { return false; }
  /// x(i) <- i, each by a team of its own: what a launch costs.
  virtual bool launch(index_t /*teams*/, T* /*x*/) const { return false; }
};

/// One library's routines by the type of their elements; none of a type where it has none at all.
using typed_routines =
    std::tuple<std::unique_ptr<routines<float>>, std::unique_ptr<routines<double>>,
               std::unique_ptr<routines<tile::complex<float>>>, std::unique_ptr<routines<tile::complex<double>>>>;
template <template <class> class Routines, class... Args>
typed_routines real_routines(const Args&... args) {
  return {std::make_unique<Routines<float>>(args...), std::make_unique<Routines<double>>(args...), nullptr, nullptr};
}
template <template <class> class Routines, class... Args>
typed_routines all_routines(const Args&... args) {
  return {std::make_unique<Routines<float>>(args...), std::make_unique<Routines<double>>(args...),
          std::make_unique<Routines<tile::complex<float>>>(args...),
          std::make_unique<Routines<tile::complex<double>>>(args...)};
}

struct peer {
  std::string name;     ///< "MKL"
  std::string version;  ///< as the library says it, with the file it came from
  bool same_result;     ///< false where it only moves as many bytes
  typed_routines all;
  bool takes_turns = false;  ///< its threads are its own: they sleep while others are timed, and others' while it is

  template <class T>
  const routines<T>& of() const {
    static const routines<T> none;
    const auto& own = std::get<std::unique_ptr<routines<T>>>(all);
    return own == nullptr ? none : *own;
  }
};

/// A library that the user names: "mkl", "openblas" or "blis", and the file it is in.
struct peer_file {
  std::string name, path;
};

/// What became of looking for one on a backend: the peer, or where it was looked for, or neither, where it is none of
/// that backend's.
struct finding {
  std::optional<peer> found;
  std::string missing;
};

/// What was looked for on a backend, by the names that the command line has.
struct peer_search {
  std::vector<peer> found;
  std::vector<std::string> names;                            ///< of those
  std::vector<std::pair<std::string, std::string>> missing;  ///< and where it was looked for
};

/// Says how to find the library that the command line calls `name`. To be called before main(), from any source that is
/// linked with the suite; true, so that it can initialise a static.
bool set_library(const std::string& name, finding (*find)(backend where, const std::string& file));

/// The peers of a backend among `names` (all where it is empty); `files` says where a library lies that is not where
/// its packages put it, and throws where it does not load. OpenMP's threads must have been started.
peer_search find_peers(backend where, std::span<const std::string> names, std::span<const peer_file> files);

/// Throws where one of `names` was found in none of `searches`, with the places.
void require_found(std::span<const std::string> names, std::span<const peer_search> searches);

/// "OpenBLAS, copy; not here: mkl, blis"
std::string text(const peer_search& search);

/// What `names` may hold: "abax" is no peer, and asked for alone it leaves all of them out.
std::vector<std::string> peer_names();

// Parts of find_peers(), each in a source of its own. `file`: the user's, or nothing.
finding find_mkl(backend where, const std::string& file);
finding find_openblas(backend where, const std::string& file);
finding find_blis(backend where, const std::string& file);
finding find_cublas(backend where, const std::string& file);
finding find_twins(backend where, const std::string& file);  ///< the hand-written kernels
finding find_copy(backend where, const std::string& file);   ///< plain copies, which compute nothing

}  // namespace abax::perf
