"""Accounts of the portal, from the command line: also when nobody can sign in to it."""
