"""The submesh problem: place a box of processors, possibly after moving residents.

The precise submesh allocation problem of Morgenstern 1994: residents hold disjoint
boxes of a mesh; a request needs a free box of exactly its size. If migration is
allowed, residents may be moved to make room (turned only if marked so). A box is
written as in the paper, ``(a, b, c, d)``: its lowest corner, then its highest one, both
inclusive; in three dimensions six numbers.
"""

from .boxes import Box as Box
from .boxes import box_at as box_at
from .boxes import corner as corner
from .boxes import rows as rows
from .boxes import sides as sides
from .boxes import ways_of as ways_of
from .instance import MOST_PROCESSORS as MOST_PROCESSORS
from .instance import Resident as Resident
from .instance import Submesh as Submesh
from .instance import box_error as box_error
from .instance import dearest as dearest
from .instance import first_overlap as first_overlap
from .instance import overlap as overlap
from .instance import unsolvable as unsolvable
from .placement import Placement as Placement
from .placement import check as check
from .placement import cost as cost
from .placement import final_boxes as final_boxes
from .placement import placement_of as placement_of
