"""Whether what allocation minimises is worth anything on the network."""
