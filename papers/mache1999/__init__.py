"""Figures 9 and 10 of Mache, Lo and Garg 1999."""
