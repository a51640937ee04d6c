"""A Slurm of many emulated nodes on this machine, of plain processes.

Every node is a slurmd of its own with its own port, so that slurmctld is the one that
clusters run, with topology/tree and select/cons_tres. (The emulator that Debian
packages does not start: it was linked with a library built without front ends.) Needs
the packages slurmctld, slurmd, slurm-client, munge and lua-posix, and root, as slurmd.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

SECONDS_TO_START = 240
PROGRAMS = (
    *("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol"),
    "setpriv",
)
SCRIPTS = Path(__file__).resolve().parents[2] / "clusters" / "slurm"

_CONFIGURATION = """\
ClusterName=closeknit
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/spool/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile=/dev/null
SlurmdDebug=error
SlurmctldDebug=debug2
LogTimeFormat=iso8601_ms
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobcomp.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TopologyPlugin=topology/tree
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=2,default_queue_depth=1000
MpiDefault=none
MaxJobCount=50000
MinJobAge=36000
SlurmdTimeout=0
SlurmdParameters=config_overrides
{plugin}
NodeName={nodes} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
"""


@dataclass
class Bed:
    """A running Slurm in a scratch folder.

    Parameters
    ----------
    folder
        Where everything is written; what is there is removed first.
    leaves, per_leaf, per_row
        Leaf switches, nodes of each, and leaf switches below one switch of a row.
    plugin
        Whether jobs pass the plugin of closeknit at submission.
    """

    folder: Path
    leaves: int = 50
    per_leaf: int = 20
    per_row: int = 10
    plugin: bool = False
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Number of nodes."""
        return self.leaves * self.per_leaf

    @property
    def environment(self) -> dict[str, str]:
        """Return what clients of this Slurm need."""
        return {
            **os.environ,
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "CLOSEKNIT_SERVICE": f"unix:{self.service}",
        }

    @property
    def service(self) -> Path:
        """The socket of the service."""
        return self.folder / "service" / "socket"

    def __enter__(self) -> Bed:
        try:
            self._write()
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def names(self) -> list[str]:
        """Return the names of the nodes."""
        return [f"n{i:04d}" for i in range(self.count)]

    def topology(self) -> str:
        """Return the topology.conf: leaf switches, rows, one switch above."""
        lines, rows = [], []
        for leaf in range(self.leaves):
            first = leaf * self.per_leaf
            nodes = f"n[{first:04d}-{first + self.per_leaf - 1:04d}]"
            lines.append(f"SwitchName=leaf{leaf:03d} Nodes={nodes}")
        for row, leaf in enumerate(range(0, self.leaves, self.per_row)):
            last = min(leaf + self.per_row, self.leaves) - 1
            lines.append(f"SwitchName=row{row} Switches=leaf[{leaf:03d}-{last:03d}]")
            rows.append(f"row{row}")
        return "\n".join([*lines, f"SwitchName=core Switches={','.join(rows)}", ""])

    def run(self, *words: str, seconds: float = 60) -> str:
        """Run a command of Slurm and return what it prints."""
        done = subprocess.run(
            words,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
        return done.stdout

    def _write(self) -> None:
        missing = [name for name in PROGRAMS if not self._found(name)]
        if missing:
            raise FileNotFoundError(f"not installed: {', '.join(missing)}")
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("state", "spool", "munge", "service"):
            (self.folder / name).mkdir(parents=True)
        first = _free_ports(self.count + 1)
        name = socket.gethostname().partition(".")[0]
        (self.folder / "slurm.conf").write_text(
            _CONFIGURATION.format(
                host=name,
                port=first + self.count,
                folder=self.folder,
                plugin="JobSubmitPlugins=lua" if self.plugin else "",
                nodes=f"n[0000-{self.count - 1:04d}]",
                ports=f"[{first}-{first + self.count - 1}]",
            )
        )
        (self.folder / "topology.conf").write_text(self.topology())
        script = (SCRIPTS / "job_submit.lua").read_text()
        script = script.replace("/etc/slurm", str(self.folder))
        script = script.replace("/run/closeknit", str(self.service.parent))
        (self.folder / "job_submit.lua").write_text(script)
        shutil.copy(SCRIPTS / "closeknit_submit.lua", self.folder)
        key = self.folder / "munge" / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(32))

    def _start(self) -> None:
        munge, conf = self.folder / "munge", str(self.folder / "slurm.conf")
        self._launch(
            *(
                self._found("munged"),
                "--foreground",
                "--force",
                f"--key-file={munge / 'key'}",
            ),
            *(f"--socket={munge / 'socket'}", f"--pid-file={munge / 'pid'}"),
            *(f"--log-file={munge / 'log'}", f"--seed-file={munge / 'seed'}"),
        )
        self._until(lambda: (munge / "socket").exists(), "munged")
        self._launch(self._found("slurmctld"), "-D", "-f", conf)
        log = self.folder / "slurmctld.log"
        ready = "Running as primary controller"
        self._until(lambda: log.exists() and ready in log.read_text(), "slurmctld")
        slurmd = self._found("slurmd")
        for i, name in enumerate(self.names()):
            self._launch(slurmd, "-D", "-N", name, "-f", conf)
            if i % 20 == 19:
                time.sleep(0.2)  # others use this machine, too
        self._until(lambda: self.idle() == self.count, "the nodes")

    def idle(self) -> int:
        """Return how many nodes are idle."""
        done = subprocess.run(
            ["sinfo", "-h", "-t", "idle", "-o", "%D"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return sum(map(int, done.stdout.split())) if done.returncode == 0 else 0

    def stop(self) -> None:
        """End what was started, and nothing else; by process id."""
        if len(self.processes) > 1:
            with contextlib.suppress(subprocess.SubprocessError, OSError):
                self.run("scancel", "--full", "-u", "root")
                end = time.monotonic() + 30
                while self.run("squeue", "-h").strip() and time.monotonic() < end:
                    time.sleep(0.5)
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for process in reversed(self.processes):
                if process.poll() is None:
                    process.send_signal(sign)
            end = time.monotonic() + 30
            while time.monotonic() < end and any(
                process.poll() is None for process in self.processes
            ):
                time.sleep(0.1)
        self.processes.clear()

    def _found(self, name: str) -> str:
        """Return a program: Debian's own before what its alternatives name."""
        path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        return shutil.which(f"{name}-wlm", path=path) or (
            shutil.which(name, path=path) or ""
        )

    def _launch(self, *words: str) -> None:
        with (self.folder / "errors.txt").open("ab") as errors:
            self.processes.append(
                subprocess.Popen(
                    # whatever ends this process ends them, too
                    ["setpriv", "--pdeathsig", "TERM", *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
            )

    def _until(self, condition: object, what: str) -> None:
        assert callable(condition)
        end = time.monotonic() + SECONDS_TO_START
        while not condition():
            if time.monotonic() > end or self.processes[-1].poll() is not None:
                print((self.folder / "errors.txt").read_text()[-2000:], file=sys.stderr)
                raise TimeoutError(f"{what}: not there, see {self.folder}")
            time.sleep(0.2)


def _free_ports(count: int) -> int:
    """Return the first of so many ports in a row that nothing listens on."""
    for first in range(18000, 32000, 1500):
        if all(_is_free(port) for port in range(first, first + count)):
            return first
    raise OSError(f"no {count} ports in a row are free")


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
