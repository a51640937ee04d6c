"""Branch and bound on a doubly nonnegative relaxation: exact on any distances."""
