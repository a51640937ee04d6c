"""Table 2 of Mache, Lo and Garg 1999: service times decided by the network."""
