"""Job streams: traces, replay, the occupancies that jobs meet."""
