"""Methods for set-union knapsacks: the table, the automatic choice, the models."""
