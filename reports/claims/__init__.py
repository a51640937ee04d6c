"""Testable claims: by name, with source, and how each is tested."""
