"""Users, passwords, sessions, roles and what they may do."""
