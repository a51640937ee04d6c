"""Claims as objects: the catalogue, its runs, its page."""
