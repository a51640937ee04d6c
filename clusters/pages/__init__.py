"""Pages on clusters: a scheduler's decisions graded, streams under other rules."""
