"""Terms of A193452 and A290190 for the On-Line Encyclopedia of Integer Sequences."""
