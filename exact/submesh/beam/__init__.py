"""Beam search for packings."""
