"""Allocators, which assign the processors of a machine to a stream of jobs."""
