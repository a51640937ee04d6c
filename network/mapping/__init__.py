"""Methods for task mappings."""
