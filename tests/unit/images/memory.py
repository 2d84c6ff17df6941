"""As much of a registry as tests need."""

from __future__ import annotations

import hashlib
import json

import httpx


class Memory:
    """As much of a registry as the action uses; refuses a manifest whose blobs are missing, as the real one does."""

    def __init__(self) -> None:
        self.blobs: dict[tuple[str, str], bytes] = {}
        self.manifests: dict[tuple[str, str], bytes] = {}
        self.requests: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(f"{request.method} {request.url.path}")
        if request.url.path == "/v2/_catalog":
            return self._catalog(request)
        if request.url.path.endswith("/tags/list"):
            name = request.url.path.removeprefix("/v2/").removesuffix("/tags/list")
            tags = [tag for repository, tag in self.manifests if repository == name and ":" not in tag]
            return httpx.Response(200, json={"name": name, "tags": tags})
        repository, _, rest = request.url.path.removeprefix("/v2/").rpartition("/")
        repository = repository.removesuffix("/manifests")
        if "/manifests/" in request.url.path:
            return self._manifest(request, repository, rest)
        repository = request.url.path.removeprefix("/v2/").split("/blobs/")[0]
        if request.method == "HEAD":
            return httpx.Response(200 if (repository, rest) in self.blobs else 404)
        if request.method == "GET":
            return httpx.Response(200, content=self.blobs[repository, rest])
        if request.method == "POST":
            mount, home = request.url.params.get("mount"), request.url.params.get("from")
            if mount and (home, mount) in self.blobs:
                self.blobs[repository, mount] = self.blobs[home, mount]
                return httpx.Response(201)
            return httpx.Response(202, headers={"Location": f"/v2/{repository}/blobs/uploads/1?state=x"})
        digest = request.url.params["digest"]
        body = request.read()
        assert request.url.params["state"] == "x"
        assert digest == f"sha256:{hashlib.sha256(body).hexdigest()}"
        assert int(request.headers["Content-Length"]) == len(body)
        self.blobs[repository, digest] = body
        return httpx.Response(201)

    def _catalog(self, request: httpx.Request) -> httpx.Response:
        names = sorted({name for name, _ in self.manifests if name > request.url.params["last"]})
        return httpx.Response(200, json={"repositories": names[:2]}, headers={"Link": "next"} if names[2:] else {})

    def _manifest(self, request: httpx.Request, repository: str, reference: str) -> httpx.Response:
        if request.method in ("HEAD", "GET"):
            body = self.manifests.get((repository, reference))
            if body is None:
                return httpx.Response(404)
            headers = {"Docker-Content-Digest": f"sha256:{hashlib.sha256(body).hexdigest()}"}
            return httpx.Response(200, headers=headers, content=body if request.method == "GET" else b"")
        body = request.read()
        for part in json.loads(body).get("layers", []):
            if (repository, part["digest"]) not in self.blobs:
                return httpx.Response(400, text=f"blob unknown: {part['digest']}")
        for entry in json.loads(body).get("manifests", []):
            if (repository, entry["digest"]) not in self.manifests:
                return httpx.Response(400, text="manifest unknown")
        self.manifests[repository, reference] = body
        return httpx.Response(201)
