"""Methods for the processor-set selection problem."""
