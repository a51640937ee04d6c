"""Allocators: whoever hands out the processors of a machine to a stream of jobs."""
