"""Tables and figures of the papers, run again and set beside what was printed."""

from .catalogue import Reproduction as Reproduction
from .catalogue import RunOptions as RunOptions
from .table import REPRODUCTIONS as REPRODUCTIONS
