"""The ``closeknit`` command, one module a subcommand."""

from .app import main as main
