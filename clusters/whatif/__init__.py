"""Traces replayed on a cluster under other schedulers' rules."""
