"""Running models with solvers; the common types for settings and results."""

from .running.answer import answer as answer
from .running.result import Contradiction as Contradiction
from .running.result import Grade as Grade
from .running.result import Limit as Limit
from .running.result import Proof as Proof
from .running.result import Result as Result
from .running.result import SolverError as SolverError
from .running.result import Status as Status
from .running.result import Value as Value
from .running.settings import DEFAULT as DEFAULT
from .running.settings import Settings as Settings
from .running.settings import Ties as Ties
from .running.solution_json import read_solution as read_solution
from .running.solution_json import solution_errors as solution_errors
from .running.solution_json import solution_of as solution_of
from .running.solution_json import write_solution as write_solution
