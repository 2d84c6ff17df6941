"""HTTP of the platform: application, errors, pagination, sign-in checks; no rules of a domain."""
