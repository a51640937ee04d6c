"""Claims about networks and task mappings."""
