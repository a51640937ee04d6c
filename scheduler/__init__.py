"""A job scheduler's view: configurations, host lists, selection of processors."""
