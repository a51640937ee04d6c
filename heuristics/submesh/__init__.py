"""Methods for submesh allocation, with migration and without."""
