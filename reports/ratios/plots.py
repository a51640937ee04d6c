"""Plots of a report on one problem, as SVG that takes its colours from the page."""

from __future__ import annotations

from ..pages.document import Plot
from ..pages.plot_style import in_style
from .gaps import gap_over_time
from .profiles import profile, proved_in_time
from .report import Report


@in_style
def plots(report: Report) -> list[Plot]:
    """Draw all plots for which there is data."""
    measured = [s for s in report.summaries if not s.exact and s.spread]
    first = profile(report, measured) if measured else None
    found = (first, proved_in_time(report), gap_over_time(report))
    return [plot for plot in found if plot is not None]
