"""What a browser or program says it is, in few words, so that people tell their sessions apart."""

import re

LONGEST = 48
MOST_READ = 512  # characters: what is looked for in them takes a time that grows with their square
# The first that fits: browsers name those that they are made of, too.
_BROWSERS = (
    ("Edge", r"Edg(?:A|iOS)?/(\d{1,4})"),
    ("Opera", r"(?:OPR|Opera)/(\d{1,4})"),
    ("Samsung Internet", r"SamsungBrowser/(\d{1,4})"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d{1,4})"),
    ("Chrome", r"(?:Chrome|HeadlessChrome|CriOS)/(\d{1,4})"),
    ("Safari", r"Version/(\d{1,4})\S* (?:Mobile/\S+ )?Safari/"),
)
_SYSTEMS = (
    ("Android", r"Android"),
    ("iOS", r"iPhone|iPad|iPod"),
    ("Windows", r"Windows"),
    ("macOS", r"Macintosh|Mac OS X"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux|X11"),
)
_PROGRAM = re.compile(r"[A-Za-z][A-Za-z0-9._-]*(?:/[0-9][0-9.]*)?")


def device_of(agent: str) -> str:
    """`Firefox 140, Linux` of a browser's `User-Agent`, `curl/8.5.0` of a program's; empty for what says nothing.

    Nothing but letters, digits and some signs of what was sent is kept: it is shown beside other sessions.
    """
    agent = agent[:MOST_READ]
    browser = next((f"{name} {found[1]}" for name, form in _BROWSERS if (found := re.search(form, agent))), "")
    if not browser:
        program = _PROGRAM.match(agent)
        return program[0][:LONGEST] if program else ""
    system = next((name for name, form in _SYSTEMS if re.search(form, agent)), "")
    return ", ".join(part for part in (browser, system) if part)[:LONGEST]
