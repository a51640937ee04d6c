"""Certificates by positive semidefinite integer matrices."""
