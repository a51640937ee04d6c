"""What a script or a notebook uses: ``import closeknit as ck``; see docs/use/api.md.

The facade loads names from the modules here when they are first used, so that a call of
`solve` does not wait for what draws reports.
"""

from logging import NullHandler, getLogger

getLogger("closeknit").addHandler(NullHandler())  # the program decides what is shown
