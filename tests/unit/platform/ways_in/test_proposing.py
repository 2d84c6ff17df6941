"""What an account could be called, by what its user is called elsewhere."""

import itertools
import re

import pytest
from atoll.ways_in import proposing

# As `UserName` of atoll.identity.schemas.
NAME = re.compile(r"[a-z][a-z0-9-]{0,30}[a-z0-9]")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (["ada.lovelace@example.com"], "ada-lovelace"),
        (["Ada_Lovelace@example.com", "Ada"], "ada-lovelace"),
        (["ada#EXT#@example.com"], "ada-ext"),
        (["Zoë Müller"], "zoe-muller"),
        (["42-ada"], "ada"),
        (["--ada--"], "ada"),
        (["阿达"], "user"),
        (["阿达", "ada"], "ada"),
        (["a@example.com", "Ada Lovelace"], "ada-lovelace"),
        (["", "  "], "user"),
        ([], "user"),
        (["a" * 40], "a" * 32),
        (["a" * 31 + ".b"], "a" * 31),
    ],
)
def test_the_likest_name_that_an_account_may_have_is_proposed_first(wanted: list[str], name: str) -> None:
    assert next(proposing.names(wanted)) == name


@pytest.mark.parametrize("wanted", ["ada", "a" * 40, "ada-" * 9, "x" * 29 + ".y", "阿达"])
def test_all_that_are_proposed_are_names_and_no_two_are_the_same(wanted: str) -> None:
    proposed = list(proposing.names([wanted]))
    assert len(set(proposed)) == len(proposed) > 50
    assert [each for each in proposed if not NAME.fullmatch(each)] == []


def test_names_that_are_taken_are_followed_by_numbers_and_then_by_chance() -> None:
    assert list(itertools.islice(proposing.names(["ada"]), 3)) == ["ada", "ada-2", "ada-3"]
    assert [list(proposing.names(["ada"]))[-1] for _ in range(2)].count("ada-49") == 0
    assert list(proposing.names(["ada"]))[-3:] != list(proposing.names(["ada"]))[-3:], "the last ones are known to all"


def test_a_nickname_is_no_longer_than_one_may_be() -> None:
    assert proposing.nickname("Ada Lovelace", "ada") == "Ada Lovelace"
    assert proposing.nickname("x" * 63 + " y", "ada") == "x" * 63
    assert proposing.nickname("", "ada") == "ada"
