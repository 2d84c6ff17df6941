"""Tokens that people make for their programs: each may do a part of what its owner may, until it ends."""
