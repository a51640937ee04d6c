"""The least change of running jobs: preempt, drain, repair."""
