"""Messages on an interconnect: when they arrive, and which links carry them."""
