"""Files of studies, and the instances that they name."""
