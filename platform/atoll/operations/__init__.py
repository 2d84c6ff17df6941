"""Long work of the platform itself: rows with progress, cancel and result, done by `jobs`."""
