"""What a script or a notebook uses: ``import closeknit as ck``; see docs/api.md."""

from logging import NullHandler, getLogger

from ..methods.listing import MethodList as MethodList
from .bad_instances import Worst as Worst
from .bad_instances import worst as worst
from .campaigns import Ratios as Ratios
from .campaigns import ratios as ratios
from .checking import check as check
from .constructors import ksubset as ksubset
from .constructors import procset as procset
from .constructors import submesh as submesh
from .constructors import sukp as sukp
from .solution import Drawing as Drawing
from .solution import Solution as Solution
from .solution import draw as draw
from .solving import Comparison as Comparison
from .solving import compare as compare
from .solving import solve as solve
from .tables import Table as Table
from .verifying import Verdicts as Verdicts
from .verifying import verify as verify

getLogger("closeknit").addHandler(NullHandler())  # the program decides what is shown
