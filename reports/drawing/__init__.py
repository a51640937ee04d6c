"""Pictures of instances and selections."""
