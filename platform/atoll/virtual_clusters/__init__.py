"""Virtual clusters: named shares of the cluster with quotas, limits and members."""
