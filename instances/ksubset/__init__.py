"""The ksubset problem: instances, files, generators."""
