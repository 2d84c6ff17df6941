"""What runs tasks: an interface and its two implementations."""
