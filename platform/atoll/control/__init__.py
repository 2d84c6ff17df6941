"""The client of the control service on the masters, and the shapes of what it answers."""
