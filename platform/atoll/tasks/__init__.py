"""Tasks: anything that a user runs; one life cycle for all kinds."""
