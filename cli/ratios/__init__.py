"""`closeknit ratios`: reports of ratios, and what changed between two."""
