"""Running models with solvers; the common types for settings and results."""

from ..instances.outcome import Result as Result
from ..instances.result import Grade as Grade
from ..instances.result import Limit as Limit
from ..instances.result import Proof as Proof
from ..instances.result import Status as Status
from ..instances.result import Value as Value
from ..instances.solution import read_solution as read_solution
from ..instances.solution import solution_errors as solution_errors
from ..instances.writing.documents import solution_of as solution_of
from ..instances.writing.documents import write_solution as write_solution
from .running.answer import answer as answer
from .running.errors import Contradiction as Contradiction
from .running.errors import SolverError as SolverError
from .running.settings import DEFAULT as DEFAULT
from .running.settings import Settings as Settings
from .running.settings import Ties as Ties
