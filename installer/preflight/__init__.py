"""Typed checks of this machine, of the nodes and of the bundle: each with an id, a severity, evidence and a remedy."""
