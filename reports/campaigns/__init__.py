"""Campaigns: methods times instances, in parallel, resumable."""
