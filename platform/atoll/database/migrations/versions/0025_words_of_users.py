"""Users are found by letters in the middle of their names without a look at each of them.

`grams` has all runs of one to three letters of some texts, `sought` those that a word is looked for by: a text that
holds the word has them all. Nothing of it is an extension (pg_trgm is not everywhere), and one letter is enough.

Revision ID: 0025
Revises: 0024
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

# Costly, so that the database judges what it reads by the letters themselves first.
FUNCTIONS = (
    """
    CREATE FUNCTION grams(texts text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
        SELECT coalesce(array_agg(DISTINCT substr(part, at, size)), '{}')
        FROM unnest(texts) AS one, lower(one) AS part, generate_series(1, 3) AS size,
            generate_series(1, char_length(part) - size + 1) AS at
    $$
    """,
    """
    CREATE FUNCTION sought(word text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT coalesce(array_agg(DISTINCT substr(lower(word), at, 3)), '{}')
        FROM generate_series(1, greatest(char_length(lower(word)) - 2, least(char_length(word), 1))) AS at
    $$
    """,
)


def upgrade() -> None:
    """With the index."""
    for function in FUNCTIONS:
        op.execute(function)
    op.execute("CREATE INDEX ix_users_words ON users USING gin (grams(ARRAY[name, nickname, email, phone]))")


def downgrade() -> None:
    """Without."""
    op.execute("DROP INDEX ix_users_words")
    op.execute("DROP FUNCTION sought(text)")
    op.execute("DROP FUNCTION grams(text[])")
