"""The checker alone: the wheel closeknit-check."""
