"""Streams of jobs that want processors."""
