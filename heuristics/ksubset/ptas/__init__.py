"""Approximation schemes of Bender et al. and Krumke et al."""
