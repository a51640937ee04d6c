"""Proofs of bounds: `checking` derives every step again, `writing` writes them."""
