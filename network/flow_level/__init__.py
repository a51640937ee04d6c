"""Flow-level engine: rates of messages, shared max-min fairly."""
