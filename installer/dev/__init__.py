"""The platform on this machine without a cluster: PostgreSQL from a wheel, the local engine, no root."""
