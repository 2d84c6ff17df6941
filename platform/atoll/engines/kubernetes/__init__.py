"""The product's engine: JobSets queued by Kueue."""
