"""What a signed token has to say to be believed: each claim by itself, to the second."""

from typing import Any

import pytest
from atoll.ways_in.asking import NotBelieved
from atoll.ways_in.openid import LEEWAY_S, OLDEST_S, check, refusal

AT = 1_800_000_000
GOOD: dict[str, Any] = {
    "iss": "https://login.example.com/v2.0",
    "aud": "portal",
    "sub": "ada",
    "nonce": "once",
    "iat": AT,
    "nbf": AT,
    "exp": AT + 3600,
}


def believed(since: float | None = None, **changes: Any) -> bool:
    claims = {name: value for name, value in (GOOD | changes).items() if value is not ...}
    try:
        check(claims, GOOD["iss"], "portal", "once", AT, since)
    except NotBelieved:
        return False
    return True


SINCE = AT - 300  # a way that was begun five minutes ago


@pytest.mark.parametrize(
    "changes",
    [
        {"auth_time": SINCE},
        {"auth_time": SINCE - LEEWAY_S},
        {"auth_time": AT},
        {"auth_time": AT + LEEWAY_S},
        {"auth_time": AT - 0.5},
        # With a second factor, to somebody of whom the provider says that they are to sign in again at once.
        {"auth_time": SINCE + 10, "exp": SINCE + 10},
    ],
)
def test_who_signed_in_anew_is_believed(changes: dict[str, Any]) -> None:
    assert believed(SINCE, **changes), f"refused with {changes}"


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"auth_time": None},
        {"auth_time": True},
        {"auth_time": str(AT)},
        {"auth_time": SINCE - LEEWAY_S - 1},
        {"auth_time": 0},
        {"auth_time": AT + LEEWAY_S + 1},
        {"auth_time": float("nan")},
        {"auth_time": AT, "exp": SINCE - LEEWAY_S},
    ],
)
def test_who_did_not_sign_in_anew_is_not(changes: dict[str, Any]) -> None:
    assert not believed(SINCE, **changes), f"a sign-in of before proves something: {changes}"
    assert believed(None, **(changes | {"exp": GOOD["exp"]})), "it is asked of who just signs in, too"


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"aud": ["portal"]},
        {"aud": ["portal"], "azp": "portal"},
        {"aud": ["other", "portal"], "azp": "portal"},
        {"azp": "portal"},
        {"nbf": ...},
        {"nbf": AT + LEEWAY_S},
        {"exp": AT - LEEWAY_S + 1},
        {"exp": AT + 0.5},
        {"iat": AT + LEEWAY_S},
        {"iat": AT - OLDEST_S},
        {"sub": "x" * 255},
        {"anything": "else"},
    ],
)
def test_a_token_for_this_sign_in_is_believed(changes: dict[str, Any]) -> None:
    assert believed(**changes), f"refused with {changes}"


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": ...},
        {"iss": "https://login.example.com/v2.0/"},
        {"iss": [GOOD["iss"]]},
        {"aud": ...},
        {"aud": "Portal"},
        {"aud": []},
        {"aud": ["other"]},
        {"aud": ["other", "portal"]},
        {"aud": ["other", "portal"], "azp": "other"},
        {"aud": {"portal": True}},
        {"azp": "other"},
        {"azp": None},
        {"nonce": ...},
        {"nonce": ""},
        {"nonce": "Once"},
        {"sub": ...},
        {"sub": ""},
        {"sub": 1},
        {"sub": "x" * 256},
        {"sub": "ada\u0000"},
        {"sub": "adä"},
        {"sub": "\ud800"},
        {"exp": ...},
        {"exp": "1800003600"},
        {"exp": True},
        {"exp": AT - LEEWAY_S},
        {"iat": ...},
        {"iat": AT + LEEWAY_S + 1},
        {"iat": AT - OLDEST_S - 1},
        {"nbf": AT + LEEWAY_S + 1},
        {"nbf": "soon"},
        {"nbf": None},
    ],
)
def test_a_token_for_anything_else_is_not(changes: dict[str, Any]) -> None:
    assert not believed(**changes), f"believed with {changes}"


def test_clocks_may_differ_by_a_minute_and_a_token_is_of_this_moment() -> None:
    assert (LEEWAY_S, OLDEST_S) == (60, 600)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"error": "invalid_client", "error_codes": [7000215]}, "invalid_client AADSTS7000215"),
        ({"error": "invalid_grant"}, "invalid_grant"),
        ({"error": "invalid_grant", "error_codes": [1, 2, 3, 4, "x"]}, "invalid_grant AADSTS1 AADSTS2 AADSTS3"),
        ({"error": "the secret abc is wrong"}, "none"),
        ({"error": "x" * 65}, "none"),
        ({"error": 7, "error_codes": "7000215"}, "none"),
        ({}, "none"),
    ],
)
def test_of_a_refusal_the_providers_own_words_are_told_and_nothing_that_it_repeats(
    answer: dict[str, Any], told: str
) -> None:
    assert refusal(answer) == told
