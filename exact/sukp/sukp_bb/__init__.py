"""Branch and bound over the elements that are excluded."""
