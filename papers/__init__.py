"""Tables and figures of the papers, reproduced and compared with the printed ones."""

from .catalogue import Reproduction as Reproduction
from .catalogue import RunOptions as RunOptions
from .table import REPRODUCTIONS as REPRODUCTIONS
