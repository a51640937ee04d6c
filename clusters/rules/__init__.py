"""Greedy rules of job schedulers, to be compared with the optimum."""

from .choosing import by_rule as by_rule
from .greedy import RULES as RULES
from .greedy import Rule as Rule
from .state import HierarchyState as HierarchyState
