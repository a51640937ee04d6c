"""Branch and bound over cut counts."""
