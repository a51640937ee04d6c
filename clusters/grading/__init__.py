"""How good decisions of a scheduler were: each next to the proved optimum."""

from .decisions import PastDecision as PastDecision
from .decisions import Ungraded as Ungraded
from .grade import DecisionGrade as DecisionGrade
from .grade import grade_decision as grade_decision
from .reading import Defaults as Defaults
from .reading import read_decisions as read_decisions
from .totals import Totals as Totals
