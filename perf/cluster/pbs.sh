#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# abax-perf on two nodes with four GPUs each, a rank for each GPU: qsub pbs.sh
#PBS -N abax-perf
#PBS -l select=2:ncpus=64:mpiprocs=4:ngpus=4
#PBS -l place=scatter:excl
#PBS -l walltime=00:30:00
set -eu
cd "$PBS_O_WORKDIR"
build=${ABAX_BUILD:-$HOME/abax/build/cuda/perf} # where abax-perf lies

export OMP_NUM_THREADS=16 OMP_PROC_BIND=spread OMP_PLACES=cores
# Open MPI; with MPICH: mpiexec -n 8 -ppn 4 -bind-to core:16
mpirun -np 8 --map-by ppr:4:node:PE=16 --bind-to core -x OMP_NUM_THREADS -x OMP_PROC_BIND -x OMP_PLACES \
  "$build/abax-perf" run --quick --json "abax-${PBS_JOBID%%.*}.json"
