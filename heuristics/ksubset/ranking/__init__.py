"""Orders of sites by distance, and how ties are broken."""
