"""What is going on now: stages with a bar, a time left from earlier runs, and events for programs."""
