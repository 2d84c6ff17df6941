"""Where it is written who changed what; `audit` reads it."""
