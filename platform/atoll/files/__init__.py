"""The only process that touches users' files."""
