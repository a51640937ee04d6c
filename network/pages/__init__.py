"""Pages and films of simulated networks."""
