"""What jobs send: patterns, recorded and synthetic workloads."""
