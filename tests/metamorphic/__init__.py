"""Changes of an instance that change its optimum in a known way: without an oracle."""
