"""The process that does what manifests say: loops, periodic work, operations; it leads tasks to what is wanted."""
