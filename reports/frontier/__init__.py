"""The frontier: the best values and bounds known, kept as data in a folder."""
