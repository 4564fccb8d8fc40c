// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What early_call.c computed before main() has the bits of the same calls made now, and those take all cores.
#include "early.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static struct results now;

static int threads(void) {
  int count = -2;  // . and ..
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == NULL) return 0;
  while (readdir(tasks) != NULL) ++count;
  closedir(tasks);
  return count;
}

int main(void) {
  const int before = threads();
  call_all(&now);
  const int after = threads();
  printf("bits %s, threads before and after: %d, %d\n", memcmp(&early, &now, sizeof now) == 0 ? "equal" : "differ",
         before, after);
  return memcmp(&early, &now, sizeof now) != 0 || early.dot == 0 || after <= before;
}
