"""Writers of pseudo-Boolean proofs and of certificates, and the logs of solvers."""
