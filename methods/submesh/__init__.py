"""Methods for submeshes: the table, the automatic choice, the models."""
