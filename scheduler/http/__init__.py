"""What an HTTP application of ours shares: who may ask, how much, errors."""
