"""Tables 1 to 3 of Morgenstern 1994, and what lies beyond them."""
