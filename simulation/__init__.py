"""Job streams: traces, replay, and the occupancies at job starts."""
