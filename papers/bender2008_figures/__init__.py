"""Figures 2 and 3 of Bender et al. 2008."""
