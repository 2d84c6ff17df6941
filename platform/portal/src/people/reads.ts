/** Whoever may read one of them has something to see in user management. */
export const READS = ["users:read", "groups:read", "roles:read"] as const;
