"""Processor selection for job schedulers: configurations, hostlists, selectors."""
