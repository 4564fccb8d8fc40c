// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Markov chain in C: the weather of tomorrow depends on today's. P's powers, by squaring it again and again, show how
// often each weather comes in the long run.
//
//   $ cc weather.c -I$PREFIX/include -L$PREFIX/lib -labax_blas -Wl,-rpath,$PREFIX/lib -lm -o weather
#include <abax/abax.h>
#include <math.h>
#include <stdio.h>

enum { states = 3 }; /* rain, nice, snow */

int main(void) {
  double P[states][states] = {{0.50, 0.25, 0.25}, {0.50, 0.00, 0.50}, {0.25, 0.25, 0.50}};
  double squared[states][states];

  abax_stream* stream; /* the host's cores; ABAX_DEVICE is the GPU, and the matrices are then in its memory */
  if (abax_open(ABAX_HOST, NULL, 0, &stream) != ABAX_SUCCESS) {
    fputs("weather: Abax cannot start\n", stderr);
    return 1;
  }
  for (int i = 0; i < 6; ++i) {
    /* An element's neighbours are `states` apart down a column and 1 along a row: the arrays of C. */
    const abax_status status = abax_dgemm(stream, 'N', 'N', states, states, states, 1.0, &P[0][0], states, 1, &P[0][0],
                                          states, 1, 0.0, &squared[0][0], states, 1);
    if (status != ABAX_SUCCESS || abax_dcopy(stream, states * states, &squared[0][0], 1, &P[0][0], 1) != ABAX_SUCCESS) {
      fprintf(stderr, "weather: %s\n", abax_message(stream));
      return 1;
    }
  }
  abax_close(stream);

  const double wanted[states] = {0.4, 0.2, 0.4}; /* p = p P */
  int right = 1;
  for (int j = 0; j < states; ++j) right = right && fabs(P[0][j] - wanted[j]) < 1e-12;
  printf("weather: after 64 days, rain %.3f, nice %.3f, snow %.3f: %s\n", P[0][0], P[0][1], P[0][2],
         right ? "right" : "WRONG");
  return right ? 0 : 1;
}
