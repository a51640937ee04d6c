"""A method of your own next to those of closeknit: `python examples/own_method.py`.

The method takes the k free processors nearest to the middle of the machine. It is run
on the same instances as mm, priced by the same definition and compared with the same
proven optima. On the command line it is `own_method:middle_out`::

    cd examples
    closeknit compare job.json --methods mm,own_method:middle_out
    closeknit worst own_method:middle_out --shape 6x6 --k 5
"""

from __future__ import annotations

import numpy as np

import closeknit as ck
from closeknit.instances import arrays


def middle_out(instance: ck.KSubset, settings: ck.Settings) -> list[int]:
    """Take the free processors nearest to the middle.

    Guarantee: none.
    Time: O(n log n).
    """
    if instance.topology.kind != "mesh":
        raise ck.InputError("is for meshes", field="middle_out")  # recorded: refused
    points = arrays.points(instance)
    hops = np.abs(points - points.mean(axis=0)).sum(axis=1)
    return np.argsort(hops, kind="stable")[: instance.k].tolist()  # indices


def jobs() -> list[ck.KSubset]:
    """Return three instances: 12 of 144 processors, a third of them busy."""
    random = np.random.default_rng(1)
    cells = np.argwhere(np.ones((12, 12)))
    return [
        ck.ksubset(
            ck.Mesh(12, 12),
            k=12,
            busy=random.choice(cells, 48, replace=False),
            name=f"job-{number}",
        )
        for number in range(3)
    ]


def main() -> None:
    """Print cost and exact ratio of both methods."""
    print(ck.compare(jobs(), methods=["mm", middle_out]))


if __name__ == "__main__":
    main()
