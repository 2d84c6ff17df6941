"""The connection to PostgreSQL, the base of all tables, the migrations."""
