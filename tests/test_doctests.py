"""What the docstrings show is true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import closeknit

MODULES = [
    module.name
    for module in walk_packages(closeknit.__path__, "closeknit.")
    if not module.name.endswith(("__main__", "mip_backends", "mip_worker"))
]
"""All but those that only a solver's own process may import."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    if name == "closeknit.solvers.scip_quadratic":
        pytest.skip("needs the process of its solver")
    failed, _ = doctest.testmod(import_module(name))
    assert not failed
