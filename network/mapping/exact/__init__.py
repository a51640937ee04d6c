"""Branch and bound for task mapping."""
