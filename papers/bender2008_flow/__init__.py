"""Mean flow time on a small mesh with a network (Bender et al. 2008, section 6)."""
