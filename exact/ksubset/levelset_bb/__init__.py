"""Branch and bound over level sets in the plane."""
