"""How far rules of schedulers are from the optimum on jobs of parts."""
