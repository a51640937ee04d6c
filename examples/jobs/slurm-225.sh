#!/bin/bash
#SBATCH --nodes=36 --segment=12
#SBATCH --switches=3@10:00
#SBATCH --time=60 -p batch
srun train
