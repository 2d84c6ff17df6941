"""What the form for a new training offers."""
