"""Streams of jobs that want submeshes."""
