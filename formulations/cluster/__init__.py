"""Jobs of several parts on a tree of domains: definitions, counting, models."""
