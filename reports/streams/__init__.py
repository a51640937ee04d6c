"""Pages about streams of jobs."""
