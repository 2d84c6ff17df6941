"""The gateway's own nginx writes of requests what became of them, and nothing of what stands in their queries."""

from __future__ import annotations

import json
from pathlib import Path

import httpx

from .conftest import Rendered
from .gateway import Change, configuration, nginx, started

__all__ = ["nginx"]

SECRET = "what-opens-an-account"
CAME_BACK = f"/sign-in/by/microsoft?code={SECRET}&state={SECRET}"


def test_no_query_is_in_the_log_whatever_goes_wrong(rendered: Rendered, nginx: Path, tmp_path: Path) -> None:
    """Nothing is behind it: neither the API nor a file of the portal, so nginx has a mistake to tell of each."""
    changes: tuple[Change, ...] = (
        (r"server api\.atoll-system\.svc\.[a-z.]+:8000", "server 127.0.0.1:1"),
        (r"listen (\d+)(?: ssl http2[^;]*)?;", lambda m: f"listen unix:{tmp_path}/s{m[1]};"),
        (r"  ssl_certificate.*", ""),
        (r"/etc/atoll/tls/services_authority", f"{rendered.state}/pki/platform/ca.crt"),
        (r"/usr/share/atoll/portal", f"{tmp_path}/portal"),
    )
    asked = [
        ("GET", CAME_BACK, {}, b""),
        ("GET", f"/api/v1/users?words={SECRET}", {}, b""),
        # What a page asks for that a browser came back to: its address is told beside it.
        ("GET", "/assets/portal.js", {"Referer": f"https://portal{CAME_BACK}"}, b""),
        ("POST", f"/api/v1/session?words={SECRET}", {}, bytes(2 << 20)),
    ]
    with (
        started(nginx, configuration(rendered), tmp_path, *changes),
        httpx.Client(transport=httpx.HTTPTransport(uds=str(tmp_path / "s8443")), base_url="http://portal") as client,
    ):
        said = [client.request(how, path, headers=more, content=body) for how, path, more, body in asked]
    written = (tmp_path / "log").read_text()
    assert SECRET not in written, "a query is in the log"
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    assert [line["status"] for line in lines] == [answer.status_code for answer in said] == [500, 502, 404, 413]
    # What became of it at the API is told in place of what nginx says of that.
    assert (lines[1]["path"], lines[1]["api_status"]) == ("/api/v1/users", "502, 502, 502")
