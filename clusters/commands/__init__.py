"""Commands about clusters: placement, advice, grading, services."""
