"""Files that are written whole or not at all: instances, solutions, any text."""
