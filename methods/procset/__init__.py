"""Methods for processor sets: the table, the automatic choice, the models."""
