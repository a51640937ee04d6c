"""Commands that simulate networks."""
