"""What a job adds to the links of a tree of switches: the busiest link, contention."""
