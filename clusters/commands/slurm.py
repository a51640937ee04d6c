"""Let closeknit choose the nodes of jobs of a running Slurm.

follow tells the service closeknit serve which nodes are in use, step by step, and gives
jobs that wait for the nodes chosen for them back to Slurm. files writes the plugin for
slurmctld, job_submit.lua and closeknit_submit.lua, into a folder.

Exit status 0 when ended by SIGTERM or SIGINT, 2 on bad input.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from importlib.resources import files
from pathlib import Path
from threading import Event

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Parser
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ..slurm.client import Client, ServiceError
from ..slurm.following import Follower, follow

SCRIPTS = ("job_submit.lua", "closeknit_submit.lua")
SERVICE = "unix:/run/closeknit/socket"


def options(parser: Parser) -> None:
    """Declare the subcommands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    following = parser.subcommand(actions, "follow", help="keep the service informed")
    following.add_argument(
        "--service",
        default=SERVICE,
        metavar="ADDRESS",
        help="unix:PATH or http://HOST:PORT of closeknit serve (default: %(default)s); "
        "its token in $CLOSEKNIT_TOKEN",
    )
    following.add_argument(
        "--every",
        type=float,
        default=0.5,
        metavar="SECONDS",
        help="time between two steps (default: %(default)s)",
    )
    following.add_argument(
        "--patience",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="time that a job may wait for the nodes chosen for it (default: "
        "%(default)s)",
    )
    following.set_defaults(action=_follow)
    written = parser.subcommand(actions, "files", help="write the plugin's files")
    written.add_argument("folder", metavar="FOLDER", help="that of slurm.conf")
    written.set_defaults(action=_files)
    following.examples(
        "slurm follow",
        "slurm follow --service unix:/run/closeknit/socket --every 1 --patience 10",
    )
    written.examples("slurm files /etc/slurm", "slurm files .")
    parser.examples("slurm follow --every 1", "slurm files /etc/slurm")


run = shared.run_action


def _follow(args: argparse.Namespace) -> int:
    every = seconds(args.every, "--every")
    patience = seconds(args.patience, "--patience")
    try:
        client = Client(args.service, token=os.environ.get("CLOSEKNIT_TOKEN", ""))
    except ServiceError as error:
        raise InputError(str(error), "--service") from None
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    follow(
        Follower(client, patience=patience),
        every,
        stop,
        lambda text: print(f"closeknit: {text}", file=sys.stderr, flush=True),
    )
    return 0


def _files(args: argparse.Namespace) -> int:
    folder = Path(args.folder)
    if not folder.is_dir():
        raise InputError("is no folder", "FOLDER", args.folder)
    source = files("closeknit.clusters.slurm")
    for name in SCRIPTS:
        if name == "job_submit.lua" and (folder / name).exists():
            print(f"{folder / name} is there: see its lines in docs/clusters/slurm.md")
            continue
        outputs.write_out(str(folder / name), (source / name).read_text("utf-8"))
        print(folder / name)
    return 0
