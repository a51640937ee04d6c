"""Branch and bound over which sets are open."""
