"""Nodes of clusters: placement, advice, grading, what-if, services."""
