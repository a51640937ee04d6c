"""Campaigns, ratio reports, and claims that can be verified."""
