"""Models and bounds of task mapping."""
