"""`closeknit simulate`: streams of jobs."""
