"""Dynamic program over processor classes and the sets in progress."""
