"""Open-loop runs: jobs arrive by a stream, whatever the network does."""
