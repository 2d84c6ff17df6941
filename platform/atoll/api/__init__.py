"""The process that browsers and programs talk to."""
