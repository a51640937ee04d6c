"""What the part for clusters adds to closeknit."""

from ..extensions import Extension

EXTENSION = Extension(
    title="clusters",
    commands={
        "serve": ("clusters.commands.serve", "choose nodes of a cluster over HTTP"),
        "slurm": (
            "clusters.commands.slurm",
            "let closeknit choose the nodes of jobs of a running Slurm",
        ),
        "why": (
            "clusters.commands.why",
            "say why a job does not fit on a cluster, and what would help",
        ),
        "fragmentation": (
            "clusters.commands.fragmentation",
            "say how large a job still fits on a cluster",
        ),
        "defrag": (
            "clusters.commands.defrag",
            "plan the fewest moves of jobs that free racks or switches",
        ),
        "change": (
            "clusters.commands.change",
            "the least change of running jobs: preempt, repair, drain",
        ),
        "grade": (
            "clusters.commands.grade",
            "grade a scheduler's decisions against the optimum",
        ),
        "whatif": (
            "clusters.commands.whatif",
            "replay a trace on a cluster under other schedulers' rules",
        ),
    },
    claims={
        "scheduler": "clusters.claims:SCHEDULER_CLAIMS",
        "links": "clusters.contention.claims:CONTENTION_CLAIMS",
    },
    names={"place_job": "clusters.jobs.python"},
    kernels="clusters.placement.warming:CLUSTER_KERNELS",
    hooks={
        "select": "clusters.commands.select_nodes",
        "explore": "clusters.explorer",
    },
)
