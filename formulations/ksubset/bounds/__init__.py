"""Lower bounds for the k-subset problem: stars, towns, the limit of towns."""
