"""Advice for operators: why a job does not fit, what is left, which jobs to move."""
