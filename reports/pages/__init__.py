"""Documents and how they are written."""
