"""Certificates that slices of pods do not fit on a tree."""
