"""Virtual clusters and homes are brought to the engine and to storage."""
