"""Many values in one parameter: a statement has no room for more than 32,767 of them."""

from collections.abc import Iterable

from sqlalchemy import CollectionAggregate, String, any_, literal
from sqlalchemy.dialects.postgresql import ARRAY


def one_of(values: Iterable[str]) -> CollectionAggregate[bool]:
    """What a column is compared with (`==`) to be one of these texts, however many there are."""
    return any_(literal([*values], ARRAY(String)))
