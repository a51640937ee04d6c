"""What a job adds to the links of a network: the busiest link, contention."""
