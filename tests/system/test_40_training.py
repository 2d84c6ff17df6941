"""Training jobs on the installed cluster, from the request to the model file."""

from __future__ import annotations

import re
import time

import pytest

from installer.testing.bench import record
from tests.system.harness import Atoll, Portal, wait_for
from tests.system.jobs import follow_first_line, log, request, submit

DIGITS = "examples/digits/train.py"
HOLD = "examples/devices/hold.py"
EPOCH = re.compile(r"epoch (\d+)/10  loss (\S+)  accuracy (\S+)  gradient (\S+)")


@pytest.mark.timeout(600)
def test_the_first_job_learns_digits_and_leaves_a_model(portal: Portal) -> None:
    job = submit(portal, "digits", DIGITS, devices=1)
    task = portal.wait_state(job, {"finished", "failed", "error", "killed"}, 300)
    text = log(portal, job)
    assert task["state"] == "finished", text[-2000:]
    accuracy = [float(value) for value in re.findall(r"accuracy[=: ]+([01]\.\d+)", text)]
    losses = [float(value) for value in re.findall(r"loss[=: ]+(\d+\.\d+)", text)]
    assert len(accuracy) > 3, "the accuracy is printed as it goes"
    assert accuracy[-1] >= 0.95
    assert losses[-1] < losses[0]
    assert "1797" in text.replace(",", "")
    files = portal.client.get(f"/tasks/{job}/files").json()["items"]
    models = [entry for entry in files if entry["name"].startswith("model")]
    assert models, files
    content = portal.client.get(f"/tasks/{job}/files/content", params={"path": models[0]["path"]})
    assert content.is_success
    assert len(content.content) == models[0]["size_bytes"] > 1000


@pytest.mark.timeout(300)
def test_submit_to_the_first_log_line(portal: Portal) -> None:
    started = time.monotonic()
    # On the node that the test before has left with the image: one without it pulls for some seconds first.
    job = submit(portal, "quick", DIGITS, devices=1)
    seconds = follow_first_line(portal, job) - started
    record("submit_to_log", seconds, "s", "lab, image present")
    portal.wait_state(job, {"finished"}, 120)


@pytest.mark.timeout(900)
@pytest.mark.feature("9b", on="simulated")
def test_a_distributed_pytorch_job_trains_over_two_nodes(portal: Portal) -> None:
    job = submit(portal, "ddp", "examples/ddp/train.py", framework="pytorch", distributed=True, nodes=2)
    task = portal.wait_state(job, {"finished", "failed", "error", "killed"}, 600)
    assert task["state"] == "finished", log(portal, job)[-2000:]
    replicas = task["attempts"][-1]["replicas"]
    assert len({replica["node"] for replica in replicas}) == 2
    logs = [log(portal, job, rank) for rank in (0, 1)]
    assert "node 0 of 2" in logs[0]
    assert "node 1 of 2" in logs[1]
    epochs = [{int(n): figures for n, *figures in EPOCH.findall(text)} for text in logs]
    assert [sorted(each) for each in epochs] == [[*range(1, 11)]] * 2
    # Each works on images of its own, so only gradients that were averaged are the same, and the models with them.
    assert epochs[0] == epochs[1], "each node trains a model of its own"
    assert len({figures[2] for figures in epochs[0].values()}) == 10
    losses = [float(figures[0]) for figures in epochs[0].values()]
    assert losses[-1] < losses[0] / 2
    assert float(epochs[0][10][1]) >= 0.9
    files = portal.client.get(f"/tasks/{job}/files").json()["items"]
    assert len([entry for entry in files if entry["name"].startswith("model")]) == 1, files


@pytest.mark.timeout(400)
def test_a_job_that_asks_for_more_than_is_free_queues_says_why_and_starts_when_devices_free_up(portal: Portal) -> None:
    first = submit(portal, "holds6", HOLD, devices=6, parameters={"seconds": "600"})
    try:
        portal.wait_state(first, {"running"}, 90)
        second = submit(portal, "wants4", HOLD, devices=4, parameters={"seconds": "1"})
        waiting = wait_for(
            "a reason that names the devices",
            lambda: (t := portal.task(second)) and t["reason"]["code"] == "devices_in_use" and t,
            60,
        )
        assert waiting["state"] == "queued"
        assert waiting["reason"]["params"] == {"resource": "GPU", "more": "2"}
        assert "still missing: 2 GPU" in waiting["reason"]["message"]
    finally:
        # Whatever happened, what comes next finds the devices free.
        assert portal.client.post(f"/tasks/{first}/stop").is_success
    portal.wait_state(second, {"finished"}, 120)
    assert portal.task(first)["state"] == "killed"


GREEDY = (
    "held = []\nwhile True:\n    held.append(bytearray(50 * 2**20))\n    print(len(held) * 50, 'MiB', flush=True)\n"
)


def put(atoll: Atoll, path: str, text: str) -> None:
    """Put a file into the administrator's home, as its owner would with scp."""
    script = (
        "import os,sys; root='/mnt/atoll/home/admin'; s=os.stat(root); p=os.path.join(root, sys.argv[1]);"
        "os.makedirs(os.path.dirname(p), exist_ok=True); open(p,'w').write(sys.argv[2]);"
        "os.chown(os.path.dirname(p), s.st_uid, s.st_gid); os.chown(p, s.st_uid, s.st_gid)"
    )
    atoll.node("master1", "python3", "-c", script, path, text)


@pytest.mark.timeout(300)
@pytest.mark.feature("29a")
def test_a_job_above_its_memory_limit_is_shown_as_failed_with_that_reason(atoll: Atoll, portal: Portal) -> None:
    put(atoll, "mine/greedy.py", GREEDY)
    job = submit(portal, "greedy", "mine/greedy.py", limits={"cpu": "2", "memory": "400Mi"})
    task = portal.wait_state(job, {"finished", "failed", "error"}, 180)
    assert task["state"] == "failed"
    assert "memory" in str(task["reason"]).lower()


@pytest.mark.timeout(300)
def test_a_job_that_crashes_shows_its_exit_code_and_last_lines(atoll: Atoll, portal: Portal) -> None:
    put(atoll, "mine/crash.py", "print('one last word', flush=True)\nraise SystemExit(7)\n")
    job = submit(portal, "crashes", "mine/crash.py")
    task = portal.wait_state(job, {"finished", "failed", "error"}, 120)
    assert task["state"] == "failed"
    assert task["exit_code"] == 7
    lines = wait_for("the last lines of its log", lambda: portal.task(job)["last_lines"], 30)
    assert "one last word" in lines[-1]


@pytest.mark.parametrize(("device_type", "devices"), [("huawei_npu_amd64", 3), ("nvidia_gpu_amd64", 9)])
def test_device_counts_that_cannot_be_are_refused(portal: Portal, device_type: str, devices: int) -> None:
    answer = portal.client.post(
        "/trainings", json=request(portal, "odd", HOLD, device_type=device_type, devices=devices)
    )
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_limits_above_the_ceiling_are_refused(portal: Portal) -> None:
    body = request(portal, "big", HOLD, limits={"cpu": "64", "memory": "900Gi"})
    answer = portal.client.post("/trainings", json=body)
    assert answer.status_code == 422
    assert "ceiling" in answer.text


def test_a_job_runs_as_its_user_and_cannot_reach_the_api_server(atoll: Atoll, portal: Portal) -> None:
    job = submit(portal, "who", HOLD, parameters={"seconds": "30"})
    portal.wait_state(job, {"running"}, 90)
    pods = atoll.kubectl("get", "pods", "-n", "vc-default", "-l", f"atoll.io/task={job}", "-o", "json").json["items"]
    assert pods
    spec = pods[0]["spec"]
    assert spec["automountServiceAccountToken"] is False
    context = {**spec.get("securityContext", {}), **spec["containers"][0].get("securityContext", {})}
    assert context["runAsUser"] >= 30001
    assert context["allowPrivilegeEscalation"] is False
    assert portal.client.post(f"/tasks/{job}/stop").is_success
