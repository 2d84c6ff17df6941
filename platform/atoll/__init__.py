"""Atoll's platform services: one package, several processes, a folder per domain."""
