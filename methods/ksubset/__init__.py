"""Methods for k-subsets: the table, the automatic choice, the models."""
