"""Exact models: from an instance to what a solver takes; nothing is solved here."""
