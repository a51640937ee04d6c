"""Tables and figures of the papers, run again and set beside what was printed."""

from .catalogue import REPRODUCTIONS as REPRODUCTIONS
from .catalogue import Order as Order
from .catalogue import Reproduction as Reproduction
