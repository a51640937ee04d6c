"""Methods for task mapping."""
