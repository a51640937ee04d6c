"""Running models with solvers; the common types for settings and results."""

from .answer import answer as answer
from .result import Contradiction as Contradiction
from .result import Grade as Grade
from .result import Limit as Limit
from .result import Proof as Proof
from .result import Result as Result
from .result import SolverError as SolverError
from .result import Status as Status
from .result import Value as Value
from .settings import DEFAULT as DEFAULT
from .settings import Settings as Settings
from .settings import Ties as Ties
from .solution_json import read_solution as read_solution
from .solution_json import solution_errors as solution_errors
from .solution_json import solution_of as solution_of
from .solution_json import write_solution as write_solution
