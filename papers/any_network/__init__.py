"""K-subsets on any network: p-median networks and random graphs."""
