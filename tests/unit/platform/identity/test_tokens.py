"""The form of access tokens. Needs nothing."""

import math
import re
import zlib

import pytest
from atoll.identity import tokens
from atoll.identity.tokens import may_be_access_token, new_access_token, new_token

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def test_an_access_token_says_what_it_is_and_is_taken_whole_by_a_double_click() -> None:
    token = new_access_token()
    assert re.fullmatch(r"atoll_[0-9A-Za-z]{49}", token)
    assert may_be_access_token(token)
    assert len({new_access_token() for _ in range(100)}) == 100


def test_an_access_token_has_as_much_chance_as_a_session() -> None:
    assert tokens.RANDOM * math.log2(62) >= 256
    # And the gateway tells both apart by as many characters of it: their states have one size.
    assert len(new_token()) == tokens.RANDOM


def test_every_letter_and_digit_occurs() -> None:
    chosen = "".join(new_access_token()[len("atoll_") : -tokens.CHECKSUM] for _ in range(100))
    assert set(chosen) == set(DIGITS)


@pytest.mark.parametrize("number", [0, 61, 62, 62**5, 2**32 - 1])
def test_the_checksum_is_the_crc_to_the_base_of_62(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(zlib, "crc32", lambda _: number)
    digits = new_access_token()[-tokens.CHECKSUM :]
    assert sum(DIGITS.index(digit) * 62**place for place, digit in enumerate(reversed(digits))) == number


def test_a_scanner_can_reckon_the_checksum_for_itself() -> None:
    token = new_access_token()
    digits = token[-tokens.CHECKSUM :]
    said = sum(DIGITS.index(digit) * 62**place for place, digit in enumerate(reversed(digits)))
    assert said == zlib.crc32(token[len("atoll_") : -tokens.CHECKSUM].encode())


def test_what_was_mistyped_cut_off_or_is_something_else_is_none() -> None:
    token = new_access_token()
    another = "b" if token[10] == "a" else "a"
    for wrong in (
        "",
        "atoll_",
        token[:-1],
        token + "0",
        token + "\n",
        " " + token,
        token[:10] + another + token[11:],
        token[:-1] + ("0" if token[-1] != "0" else "1"),
        token.replace("atoll_", "other_"),
        token.upper(),
        new_token(),
        "atoll_" + "é" * 49,
    ):
        assert not may_be_access_token(wrong), wrong
