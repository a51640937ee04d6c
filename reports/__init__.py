"""Campaigns, ratio reports, and claims that can be verified."""

from logging import ERROR, getLogger

# Without a writable home it works from a temporary folder, and would say so each time.
getLogger("matplotlib").setLevel(ERROR)
