"""What the part about papers adds to closeknit."""

from ..extensions import Extension

EXTENSION = Extension(
    title="papers",
    commands={
        "reproduce": (
            "papers.commands.reproduce",
            "reproduce a paper's table or figure",
        ),
    },
)
