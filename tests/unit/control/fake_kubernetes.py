"""A small API server: workloads that roll out after a moment, pods, ConfigMaps, logs. Enough to act on."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

ROLLOUT_S = 0.6
Key = tuple[str, str, str]


class FakeKubernetes:
    """Holds the objects, and serves them on a port of its own."""

    def __init__(self) -> None:
        self.workloads: dict[Key, dict[str, Any]] = {}
        self.broken: set[str] = set()  # names of workloads that never get ready again
        self.config_maps: dict[tuple[str, str], dict[str, str]] = {}
        self.services: list[dict[str, Any]] = []
        self.log_lines = ["first", "second", "third"]
        self.down = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def add(self, kind: str, plural: str, namespace: str, name: str, replicas: int = 1) -> None:
        labels = {"app": name}
        template = {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": name, "image": f"registry/atoll/{name}:0.1.0"}]},
        }
        spec: dict[str, Any] = {"selector": {"matchLabels": labels}, "template": template}
        if kind != "DaemonSet":
            spec["replicas"] = replicas
        self.workloads[plural, namespace, name] = {
            "kind": kind,
            "metadata": {"namespace": namespace, "name": name, "generation": 1},
            "spec": spec,
            "changed_at": 0.0,
        }

    def kubeconfig(self, path: Path) -> Path:
        server = f"http://127.0.0.1:{self._server.server_address[1]}"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        path.write_text(yaml.safe_dump(content))
        return path

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def shown(self, key: Key) -> dict[str, Any]:
        """Return a workload with the status that it has by now."""
        item = self.workloads[key]
        generation = item["metadata"]["generation"]
        done = time.monotonic() - item["changed_at"] > ROLLOUT_S and item["metadata"]["name"] not in self.broken
        if item["kind"] == "DaemonSet":
            stopped = "atoll.io/stopped" in item["spec"]["template"]["spec"].get("nodeSelector", {})
            wanted = 0 if stopped else 1
            ready = wanted if done else 1 - wanted
            status = {
                "desiredNumberScheduled": wanted,
                "currentNumberScheduled": wanted,
                "updatedNumberScheduled": wanted if done else 0,
                "numberReady": ready,
                "numberAvailable": ready,
            }
        else:
            wanted = item["spec"]["replicas"]
            ready = wanted if done else 0
            status = {
                "replicas": wanted,
                "updatedReplicas": ready,
                "readyReplicas": ready,
                "availableReplicas": ready,
            }
        shown = {name: value for name, value in item.items() if name != "changed_at"}
        return {**shown, "status": {"observedGeneration": generation, **status}}

    def pods(self, namespace: str | None) -> list[dict[str, Any]]:
        found = []
        for (_, space, name), item in self.workloads.items():
            if namespace not in {None, space}:
                continue
            ready = name not in self.broken
            waiting = {} if ready else {"waiting": {"reason": "CrashLoopBackOff"}}
            found.append(
                {
                    "metadata": {"namespace": space, "name": f"{name}-1", "labels": {"app": name}},
                    "spec": {"nodeName": "master1", **item["spec"]["template"]["spec"]},
                    "status": {
                        "conditions": [{"type": "Ready", "status": str(ready)}],
                        "containerStatuses": [
                            {"name": name, "state": waiting, "lastState": {"terminated": {"exitCode": 3}}}
                        ],
                    },
                }
            )
        return found

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None: ...

            def _answer(self, content: Any, status: int = 200) -> None:
                text = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                parts = url.path.strip("/").split("/")
                if fake.down:
                    self._answer({"message": "down"}, 503)
                elif parts[:3] == ["apis", "apps", "v1"] and len(parts) == 4:
                    items = [fake.shown(key) for key in fake.workloads if key[0] == parts[3]]
                    self._answer({"items": items})
                elif parts[:3] == ["apis", "apps", "v1"]:
                    key = (parts[5], parts[4], parts[6])
                    self._answer(
                        fake.shown(key) if key in fake.workloads else {}, 200 if key in fake.workloads else 404
                    )
                elif parts[-1] == "log":
                    self._log(parse_qs(url.query))
                elif parts[-1] == "pods":
                    self._answer({"items": fake.pods(parts[3] if len(parts) > 3 else None)})
                elif parts[-1] == "services":
                    self._answer({"items": fake.services})
                elif parts[-1] == "nodes":
                    self._answer({"items": []})
                elif parts[-2] == "configmaps":
                    found = fake.config_maps.get((parts[3], parts[5]))
                    self._answer({"data": found} if found is not None else {}, 200 if found is not None else 404)
                else:
                    self._answer({}, 404)

            def _log(self, query: dict[str, list[str]]) -> None:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                lines = list(fake.log_lines)
                for line in lines[-int(query["tailLines"][0]) :]:
                    self._chunk(f"{line}\n".encode())
                while query["follow"] == ["true"] and not fake.down:
                    time.sleep(0.05)
                    new, lines = fake.log_lines[len(lines) :], list(fake.log_lines)
                    for line in new:
                        self._chunk(f"{line}\n".encode())
                self._chunk(b"")

            def _chunk(self, content: bytes) -> None:
                self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
                self.wfile.flush()

            def do_PATCH(self) -> None:
                _, _, _, _, space, plural, name = urlsplit(self.path).path.strip("/").split("/")
                patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                item = fake.workloads[plural, space, name]
                _merge(item, patch)
                item["metadata"]["generation"] += 1
                item["changed_at"] = time.monotonic()
                self._answer(fake.shown((plural, space, name)))

        # The path of a workload is /apis/apps/v1/namespaces/SPACE/PLURAL/NAME.
        return Handler


def _merge(into: dict[str, Any], patch: dict[str, Any]) -> None:
    for name, value in patch.items():
        if value is None:
            into.pop(name, None)
        elif isinstance(value, dict):
            _merge(into.setdefault(name, {}), value)
        else:
            into[name] = value
