"""Exhaustive search for packings that leave little free, gap by gap."""
