"""A library of hard instances with their optima and proofs."""
