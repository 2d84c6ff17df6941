"""The built portal as the API serves it where there is no gateway. Needs nothing."""

from pathlib import Path

import httpx
import pytest
from atoll.api.routes import routes
from atoll.web.portal import add_portal


@pytest.fixture
async def portal(tmp_path: Path) -> httpx.AsyncClient:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "page-Dp87e76g.js").write_text("page")
    (tmp_path / "index.html").write_text("the portal")
    app = routes(frozenset(), None)
    add_portal(app, tmp_path)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://portal.test")


async def test_an_asset_is_loaded_once_for_its_name_carries_its_content(portal: httpx.AsyncClient) -> None:
    answer = await portal.get("/assets/page-Dp87e76g.js")
    assert (answer.text, answer.headers["cache-control"]) == ("page", "max-age=31536000")


@pytest.mark.parametrize("path", ["/", "/training/new"])
async def test_the_page_is_asked_for_again_each_time(portal: httpx.AsyncClient, path: str) -> None:
    answer = await portal.get(path)
    assert (answer.text, answer.headers["cache-control"]) == ("the portal", "no-cache")


async def test_an_asset_that_is_gone_is_not_kept_in_mind(portal: httpx.AsyncClient) -> None:
    answer = await portal.get("/assets/page-gone.js")
    assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
