"""How this project speaks SSH: pinned host keys only, one key per cluster, never a question, never a password."""
