"""The table of submesh allocators."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...heuristics.submesh.allocator import SubmeshAllocatorSpec
from ...heuristics.submesh.bitmap import Bitmap
from ...heuristics.submesh.buddy import Buddy
from ...heuristics.submesh.frame_sliding import (
    AdaptiveScan,
    EveryFrame,
    FastFrames,
    RestrictedFrames,
)
from ...heuristics.submesh.iss_arrays import ArrayFourWayScan, ArrayScan
from ...heuristics.submesh.mbv import MaximumBoundaryValue
from ...heuristics.submesh.snug import Snug
from ...heuristics.submesh.zhu import ArrayBestFit, ArrayFirstFit

ALLOCATORS: Mapping[str, SubmeshAllocatorSpec] = MappingProxyType(
    {
        "fs-n": SubmeshAllocatorSpec(RestrictedFrames, complete=False, three=True),
        "fs-1": SubmeshAllocatorSpec(EveryFrame, three=True, wraps=True),
        "fs-f": SubmeshAllocatorSpec(FastFrames),
        "as": SubmeshAllocatorSpec(AdaptiveScan),
        "mbv": SubmeshAllocatorSpec(MaximumBoundaryValue),
        "iss": SubmeshAllocatorSpec(ArrayScan),
        "4iss": SubmeshAllocatorSpec(ArrayFourWayScan),
        "zhu-first-fit": SubmeshAllocatorSpec(ArrayFirstFit),
        "zhu-best-fit": SubmeshAllocatorSpec(ArrayBestFit),
        "buddy": SubmeshAllocatorSpec(Buddy, complete=False, longest=2**16),
        "bitmap": SubmeshAllocatorSpec(Bitmap, three=True, wraps=True),
        "snug": SubmeshAllocatorSpec(Snug),
    }
)
"""Every submesh allocator, by the name used in reports."""
