"""Job and task placement on torus and fat-tree (Navaridas et al. 2009)."""
