"""What a browser or program says of itself, in few words. Needs nothing."""

import time

import pytest
from atoll.identity.agents import LONGEST, device_of

CHROME = "Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140, Linux"),
        (CHROME.format("Windows NT 10.0; Win64; x64"), "Chrome 141, Windows"),
        (CHROME.format("Windows NT 10.0; Win64; x64") + " Edg/141.0.0.0", "Edge 141, Windows"),
        (CHROME.format("Macintosh; Intel Mac OS X 10_15_7") + " OPR/125.0", "Opera 125, macOS"),
        (CHROME.format("Linux; Android 14; Pixel 8").replace(" Safari", " Mobile Safari"), "Chrome 141, Android"),
        (CHROME.format("X11; CrOS x86_64 14541.0.0"), "Chrome 141, ChromeOS"),
        (CHROME.format("X11; Linux x86_64").replace("Chrome/", "HeadlessChrome/"), "Chrome 141, Linux"),
        (
            "Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/24.0 Chrome/117.0"
            " Mobile Safari/537.36",
            "Samsung Internet 24, Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
            " Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari 18, iOS",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1"
            " Safari/605.1.15",
            "Safari 18, macOS",
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0"
            " Mobile/15E148 Safari/604.1",
            "Chrome 120, iOS",
        ),
        ("Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox 140, Android"),
        ("Firefox/140.0", "Firefox 140"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("python-httpx/0.28.1", "python-httpx/0.28.1"),
        ("atollctl", "atollctl"),
        ("Go-http-client/1.1 (for <script>)", "Go-http-client/1.1"),
        ("Mozilla/5.0 (compatible)", "Mozilla/5.0"),
        ("", ""),
        ("<b>Your own browser</b>", ""),
        ("\u202ereversed", ""),
        ("9", ""),
        ("x" * 500, "x" * LONGEST),
        ("Firefox/" + "9" * 500, "Firefox 9999"),
    ],
)
def test_it_is_told_in_few_words(agent: str, device: str) -> None:
    assert device_of(agent) == device


# As long as a header may be that the gateway lets through.
@pytest.mark.parametrize(
    "agent",
    ["Version/" + "1" * 8000, "Version/1" * 900, "Version/" + "1 Mobile/" * 900, "x" * 7000 + " Firefox/140.0"],
    ids=["digits", "versions", "mobiles", "letters"],
)
def test_what_is_long_is_read_no_longer_than_what_is_short(agent: str) -> None:
    began = time.thread_time()
    device_of(agent)
    assert time.thread_time() - began < 0.02, "who sends it keeps everybody else waiting"
