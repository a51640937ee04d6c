"""The configuration language of processor selection (Drakenberg 2012, appendix)."""

from .files import bundled_configurations as bundled_configurations
from .files import configuration_text as configuration_text
from .files import examine as examine
from .files import parse_configuration as parse_configuration
from .files import read_configuration as read_configuration
from .model import Configuration as Configuration
from .model import Constraint as Constraint
from .model import CostBlock as CostBlock
from .model import Group as Group
from .model import Price as Price
