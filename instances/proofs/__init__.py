"""Old name of `closeknit.proofs.checking`, for one release."""
