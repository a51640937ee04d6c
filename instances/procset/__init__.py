"""The procset problem: instances, files, generators."""
