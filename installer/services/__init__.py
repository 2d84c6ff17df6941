"""The table of services and what can be done to each."""
