"""Allocators that serve streams of jobs, and those that are methods as well."""
