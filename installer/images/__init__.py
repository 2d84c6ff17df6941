"""Images that people bring: read them from files, keep them in the cluster's registry, say which there are."""
