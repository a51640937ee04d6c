"""Jobs of several parts on clusters: reading, choosing, explaining."""
