"""The flit-by-flit model of wormhole switching: the oracle of rigid worms."""
