"""`closeknit reproduce`."""
