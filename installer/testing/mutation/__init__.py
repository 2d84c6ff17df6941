"""The mutation gate: rooms with rules are changed in one place at a time, and their own tests have to notice it.

`python -m installer.testing.mutation`; docs/develop.md ("Mutation gate") says how to read and repair what it finds.
"""
