"""Readers that are bounded in size, depth and time; errors that name a field."""
