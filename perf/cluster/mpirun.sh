#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# abax-perf on the ranks that this machine has GPUs for, or else NUMA domains: mpirun.sh [OPTIONS OF abax-perf run]
set -eu
build=${ABAX_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build/openmp/perf}

gpus=$({ nvidia-smi -L 2>/dev/null || true; } | wc -l)
domains=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' 2>/dev/null | wc -l)
ranks=$((gpus > 0 ? gpus : domains > 0 ? domains : 1))
cores=$(lscpu --parse=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)
each=$((cores / ranks > 0 ? cores / ranks : 1))

export OMP_NUM_THREADS=$each OMP_PROC_BIND=spread OMP_PLACES=cores
if mpirun --version | grep -q "Open MPI"; then
  place=(--map-by "slot:PE=$each" --bind-to core)
else
  place=(-bind-to "core:$each")
fi
exec mpirun -np "$ranks" "${place[@]}" "$build/abax-perf" run "${@:---quick}"
