"""The sukp problem: instances, files, generators."""
