"""What this is: told to everybody, and nothing more than that."""

from tests.unit.platform.conftest import RunningPlatform


async def test_who_is_not_signed_in_is_told_what_this_is_and_nothing_else(platform: RunningPlatform) -> None:
    http = platform.anonymous()
    answer = await http.get("/about")
    assert (answer.status_code, answer.json()) == (
        200,
        {"product": "Atoll", "version": "0", "cluster": "test", "engine": "local", "registration": True, "ways_in": []},
    )
    assert "set-cookie" not in answer.headers
    assert (await http.get("/virtual-clusters")).status_code == 401
    assert (await http.post("/about")).status_code == 405
