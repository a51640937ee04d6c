"""How good decisions of a scheduler were: each next to the proved optimum."""

from .decisions import Decision as Decision
from .decisions import Ungraded as Ungraded
from .grade import Grade as Grade
from .grade import grade_decision as grade_decision
from .reading import Defaults as Defaults
from .reading import read_decisions as read_decisions
from .totals import Totals as Totals
