"""Cut-through engine: packets on machines with switches."""
