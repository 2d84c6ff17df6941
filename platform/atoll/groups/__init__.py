"""Groups: users who hold roles together."""
