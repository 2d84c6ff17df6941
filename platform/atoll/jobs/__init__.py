"""The process that leads tasks from wanted to observed."""
