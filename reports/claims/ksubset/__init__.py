"""Claims about k-subsets."""
