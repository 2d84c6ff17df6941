"""Accounts, as administrators manage them."""
