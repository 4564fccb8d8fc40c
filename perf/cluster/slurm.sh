#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# abax-perf on two nodes with four GPUs each, a rank for each GPU: sbatch slurm.sh
# CPUs alone: a rank for each NUMA domain, --ntasks-per-node and --cpus-per-task accordingly, without the GPU lines.
#SBATCH --job-name=abax-perf
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --time=00:30:00
set -eu
build=${ABAX_BUILD:-$HOME/abax/build/cuda/perf} # where abax-perf lies

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PROC_BIND=spread OMP_PLACES=cores
# If no rank reports in, this Slurm speaks another PMI: `srun --mpi=list`, then --mpi=pmix or --mpi=pmi2.
srun --kill-on-bad-exit=1 --cpu-bind=cores --cpus-per-task="$SLURM_CPUS_PER_TASK" \
  "$build/abax-perf" run --quick --json "abax-$SLURM_JOB_ID.json"
