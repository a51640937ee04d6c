"""Answers in solution files: what of their claims is true, and what was derived."""
