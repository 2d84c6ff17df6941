"""Runs as the control service tells them. Needs nothing but this machine."""

import httpx

from installer.redaction import Redactor
from installer.running.journal import Journal
from tests.unit.control.conftest import Running


def test_the_timeline_of_a_run_is_streamed_until_its_end(control: Running, client: httpx.Client) -> None:
    from atoll.control.schemas import Run, RunEvent

    folder = control.settings.state / "runs" / "20260101T000000Z-0001"
    journal = Journal(folder, Redactor())
    journal.write("started", run=folder.name, verb="apply", version="0.1.0", fence=1)
    journal.write("plan", steps=[{"phase": "host", "node": "master1"}])
    Run.model_validate(client.get(f"/runs/{folder.name}").json())
    assert client.get("/runs").json()["items"][0]["state"] == "running", "one that looks needs no lock"
    journal.close()
    assert client.get("/runs").json()["items"][0]["state"] == "interrupted"
    with Journal(folder, Redactor()) as journal:
        journal.write("finished", state="succeeded", ok=True, seconds=1.0, changed=0)
    told = [
        RunEvent.model_validate_json(line[5:])
        for line in client.get(f"/runs/{folder.name}/events").text.splitlines()
        if line.startswith("data:")
    ]
    assert [event.event for event in told] == ["started", "plan", "finished"]
    again = client.get(f"/runs/{folder.name}/events", headers={"Last-Event-ID": "2"}).text
    assert again.count("data:") == 1
    assert "event: run" in again
    assert client.get("/runs/..%2f..%2fetc").status_code == 404


def test_runs_come_in_pages(control: Running, client: httpx.Client) -> None:
    for number in range(5):
        with Journal(control.settings.state / "runs" / f"20260101T00000{number}Z-0001", Redactor()) as journal:
            journal.write("started", run="x", verb="apply", version="0.1.0", fence=1)
    first = client.get("/runs", params={"limit": 2}).json()
    assert [run["id"][14] for run in first["items"]] == ["4", "3"]
    second = client.get("/runs", params={"limit": 3, "cursor": first["next_cursor"]}).json()
    assert [run["id"][14] for run in second["items"]] == ["2", "1", "0"]
    assert second["next_cursor"] is None
