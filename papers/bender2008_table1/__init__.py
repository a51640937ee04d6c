"""Table 1 of Bender et al. 2008."""
