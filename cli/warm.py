"""Compile the kernels of the methods, so that few runs wait for them later.

Numba compiles a kernel when it is first called and keeps the machine code next to the
source, in the user's cache folder, or in NUMBA_CACHE_DIR. This command runs all methods
on small instances beforehand, in several processes: in a Dockerfile, on the shared file
system of a cluster, in CI. Kernels that are compiled already are only loaded; those
that only claims or larger instances need are compiled when they are first used.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from ..instances.errors import InputError
from ..instances.reading.suggestions import entry_named
from ..methods import METHODS
from ..methods.warming import KINDS
from ..reports.campaigns.compiling import OTHERS, compile_all
from ..reports.proofs.proving import proof_kernels
from .frame import shared
from .frame.parser import Parser


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "problems",
        nargs="*",
        metavar="PROBLEM",
        help="problems whose kernels are compiled, network for those of the "
        "interconnect, clusters for those of select --topology, proofs for what "
        "writes and checks them (default: all)",
    )
    shared.add_jobs(parser)
    parser.examples("warm", "warm ksubset submesh --jobs 4", "warm network")


def run(args: argparse.Namespace) -> int:
    """Compile, and say what failed."""
    jobs = shared.processes(args.jobs)
    known = [*METHODS, *OTHERS, "proofs"]
    for problem in args.problems:
        entry_named(problem, dict.fromkeys(known), "PROBLEM", "problem")
    start = perf_counter()
    parts = args.problems or known
    provable = [(METHODS[kind[0]]["auto"], kind) for kind in KINDS]
    more = proof_kernels(provable) if "proofs" in parts else {}
    failures = compile_all(parts, jobs=jobs, more=more)
    for failure in failures:
        print(f"closeknit: {failure}", file=sys.stderr)
    if failures:
        raise InputError(f"{len(failures)} of them could not be compiled")
    print(f"the kernels of the methods are compiled ({perf_counter() - start:.0f} s)")
    return 0
