"""Who is a member of a virtual cluster: users, and groups for all that are in them."""
