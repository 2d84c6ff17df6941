"""Device types and their rules: the one table of them in the platform."""
