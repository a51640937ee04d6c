"""Methods for the set-union knapsack problem."""
