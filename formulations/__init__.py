"""Exact models in the form that solvers take, built apart from solving."""
