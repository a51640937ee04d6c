"""The allocators as methods: put the residents in, and ask for the box.

Nobody is moved. A place that is found displaces nobody, and is optimal. Where nothing
is found and nobody may be moved, that is a proof for the methods that look everywhere;
the others, and all of them where residents may be moved, do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..heuristics.submesh.allocator import ALLOCATORS, OutOfTimeError
from ..instances import Submesh
from ..solvers import (
    DEFAULT,
    Grade,
    Limit,
    Proof,
    Result,
    Settings,
    Status,
    answer,
    clock,
)

FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "fs-n": "fs_n",
        "fs-1": "fs_1",
        "fs-f": "fs_f",
        "as": "adaptive_scan",
        "mbv": "mbv",
        "iss": "iss",
        "4iss": "four_iss",
        "zhu-first-fit": "zhu_first_fit",
        "zhu-best-fit": "zhu_best_fit",
        "buddy": "buddy",
        "bitmap": "bitmap",
        "snug": "snug",
    }
)
"""Name in reports, and the function here."""


_NOBODY = Proof(Grade.CHECKED, "nobody is moved")
"""Nothing costs less than moving nobody, whoever found the place."""


def refusal(name: str, instance: Submesh) -> str | None:
    """Say why an allocator is not for the mesh of an instance; None if it is."""
    return ALLOCATORS[name].refuses(instance.shape, instance.torus)


def _placed(name: str, instance: Submesh, settings: Settings) -> Result:
    start = clock.now()
    maker = ALLOCATORS[name]
    limit: Limit | None = None
    box = None
    try:
        allocator = maker(instance.shape, rotate=instance.rotate, torus=instance.torus)
        for one in instance.residents:
            allocator.hold(one.box)
        for cell in instance.blocked:
            allocator.hold((*cell, *cell))
        allocator.until = start + settings.time_limit
        box = allocator.find(instance.request)
    except OutOfTimeError:
        limit = Limit.TIME
    except KeyboardInterrupt:
        limit = Limit.INTERRUPT
    if box is not None:
        return answer(instance, box, start=start, bound=(0, 0, 0), proof=_NOBODY)
    if limit or instance.migrate or not maker.complete:
        return answer(instance, None, start=start, limit=limit)
    proof = Proof(Grade.ENUMERATED, name)
    return Result(status=Status.INFEASIBLE, proof=proof, seconds=clock.now() - start)


def fs_n(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Slide a frame in strides of its own sides, and take the first free place.

    Guarantee: none; free places between the strides are passed over.
    Time: O(XY / xy * residents).
    Ties: the first by rows; as asked, then turned.
    Source: Chuang and Tzeng 1994; Morgenstern 1994, equation 2.
    """
    return _placed("fs-n", instance, settings)


def fs_1(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Slide a frame processor by processor, and take the first free place.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY * residents).
    Ties: the first by layers, rows, columns; as asked, then turned.
    Source: Chuang and Tzeng 1994; Morgenstern 1994, equation 1.
    """
    return _placed("fs-1", instance, settings)


def fs_f(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Slide a frame, going on behind the first resident in its way.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY * residents) at worst; usually a few residents a row.
    Ties: the first by rows; as asked, then turned.
    Source: Morgenstern and Fouque 1994; Morgenstern 1994, Figure 2, with its two < read
    as <=, without which the last row and column would never be tried.
    """
    return _placed("fs-f", instance, settings)


def adaptive_scan(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Slide a frame, going on behind the furthest resident in its way.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY * residents) at worst; every frame looks at all residents.
    Ties: the first by rows; as asked, then turned.
    Source: Ding and Bhuyan 1993; Morgenstern 1994, Figure 1.
    """
    return _placed("as", instance, settings)


def mbv(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Take the free place that touches most: residents and edges of the mesh.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(Y * residents**2), by looking only where the value can be greatest.
    Ties: the first by rows; as asked, then turned.
    Source: Sharma and Pradhan 1993; Morgenstern 1994, section 2.3.
    """
    return _placed("mbv", instance, settings)


def iss(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Scan rows as sets of intervals, and take the first free place.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY); in proportion to the intervals in all the windows of y rows.
    Ties: the first by rows; as asked, then turned.
    Source: Morgenstern and Fouque 1994; Morgenstern 1994, section 3.1.
    """
    return _placed("iss", instance, settings)


def four_iss(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Scan intervals from two edges in turn: the longer side comes close to an edge.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), as iss.
    Ties: from the top or the left before the bottom or the right, then the first along
    the line; as asked, then turned.
    Source: Morgenstern 1994, section 3.2.
    """
    return _placed("4iss", instance, settings)


def zhu_first_fit(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Walk through an array of 0 and 1, and take the first place in it.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), always.
    Ties: the first by rows; as asked, then turned.
    Source: Zhu 1992, as Morgenstern 1994, sections 1 and 4, describes it.
    """
    return _placed("zhu-first-fit", instance, settings)


def zhu_best_fit(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Take a place in the smallest region of free processors that has one.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), always.
    Ties: the first by rows; as asked, then turned.
    Source: Zhu 1992, by its abstract; regions are taken to be connected along links.
    """
    return _placed("zhu-best-fit", instance, settings)


def buddy(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Give the request a square block whose side is a power of two.

    Guarantee: none; a place that is not in a free block is not seen.
    Time: O(log max(X, Y)) lists of free blocks.
    Ties: the least block, then the first by rows.
    Source: Li and Cheng 1991; meshes of other shapes are cut into blocks.
    """
    return _placed("buddy", instance, settings)


def bitmap(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Look for the first free place in a bitmap, 64 processors at a time.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY log(x) / 64); with a third axis Z, O(XYZ (z + log(x)) / 64).
    Ties: the first by layers, rows, columns; as asked, then turned.
    Source: ours; running ands over blocks of rows, as van Herk 1992 and Gil and Werman
    1993 take running maxima.
    """
    return _placed("bitmap", instance, settings)


def snug(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Of the places nearest an edge, take the one after which most sizes would fit.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: that of 4iss, and O(residents**4) with few residents, O(residents**2) with
    more than `heuristics.submesh.snug.FEW`.
    Ties: the top or the left before the bottom or the right, then the first along the
    line; as asked, then turned.
    Source: ours, upon Morgenstern 1994, section 3.2; see ``heuristics.submesh.snug``.
    """
    return _placed("snug", instance, settings)
