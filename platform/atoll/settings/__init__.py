"""What people set for themselves: the virtual cluster that they use, how often pages look again, the language."""
