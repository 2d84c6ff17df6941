"""The first page: what runs, what is free, what needs attention."""
