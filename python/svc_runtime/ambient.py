"""The name `svc` in a cell: artifacts, names, aliases and tags of the server that runs it, in the name of whoever started the
run. Standard library only; tables are given and taken as Arrow where the environment has pyarrow.

Every cell is given a client and few use it: what asks a server is imported when it asks.
"""

import io
import json
import os


class ServerRefused(Exception):
    """What the server answered instead of doing it."""

    __module__ = "svc"


class Artifact:
    """One stored version."""

    def __init__(self, client, artifact_id, version, cache_hit=None):
        self._client = client
        self.artifact_id, self.version, self.cache_hit = artifact_id, version, cache_hit
        self._data = None

    @property
    def uri(self):
        return f"svc://artifact/{self.artifact_id}@v={self.version}"

    def to_bytes(self):
        if self._data is not None:
            return self._data
        return self._client._ask("GET", f"/v1/artifacts/{_quoted(self.artifact_id)}/v/{self.version}/data")

    def to_arrow(self):
        import pyarrow.ipc

        return pyarrow.ipc.open_stream(io.BytesIO(self.to_bytes())).read_all()

    def to_pandas(self):
        return self.to_arrow().to_pandas()

    def __repr__(self):
        return f"Artifact({self.uri})"


class Client:
    def __init__(self, url, token, cell_id, promote_url, inputs):
        self.base_url, self.timeout = url, 300
        self._headers = {"X-Svc-Run-Token": token, "X-Svc-Cell-Id": cell_id}
        self._cell_id, self._promote_url, self._inputs = cell_id, promote_url, inputs

    def materialize(self, inputs, transform, name=None, mode="stream", refresh=False):
        """Compute a transform over tables and artifacts, or find its result."""
        if mode != "stream":
            raise ValueError("A cell takes its result as a stream; leave mode as it is.")
        body = {"inputs": list(inputs), "transform": _transform(transform), "mode": mode, "refresh": refresh, "name": name}
        answer = self._json("POST", "/v1/materialize", body)
        artifact = self._stored(answer["artifact_uri"], answer["hit"], name)
        if answer.get("stream_url"):
            # The rows as they come: the stored version is complete a moment after the last of them.
            artifact._data = self._ask("GET", answer["stream_url"])
        return artifact

    def put(self, inputs, transform, data, name=None):
        """Store a result that the cell computed, under what it was made from."""
        fields = {"inputs": list(inputs), "transform": _transform(transform), "name": name}
        content = _arrow_bytes(data)
        answer = self._json("PUT", "/v1/artifacts", fields, content)
        artifact = self._stored(answer["artifact_uri"], answer.get("hit"), name)
        if not artifact.cache_hit:
            artifact._data = content
        return artifact

    def resolve_name(self, name):
        answer = self._json("GET", f"/v1/names/{_quoted(name, '/')}")
        return self._artifact(answer["artifact_uri"]) if "artifact_uri" in answer else self._from(answer)

    def set_name(self, name, artifact):
        artifact = self._known(artifact)
        body = {"name": name, "artifact_id": artifact.artifact_id, "version": artifact.version}
        return self._json("POST", "/v1/names", body)

    def resolve_alias(self, name, alias):
        return self._from(self._json("GET", f"/v1/names/{_quoted(name, '/')}/aliases/{_quoted(alias)}"))

    def set_alias(self, name, alias, artifact):
        artifact = self._known(artifact)
        body = {"artifact_id": artifact.artifact_id, "version": artifact.version}
        return self._json("PUT", f"/v1/names/{_quoted(name, '/')}/aliases/{_quoted(alias)}", body)

    def get_tags(self, artifact):
        artifact = self._known(artifact)
        place = f"/v1/artifacts/{_quoted(artifact.artifact_id)}/v/{artifact.version}/tags"
        return self._json("GET", place).get("tags", {})

    def set_tag(self, artifact, key, value):
        artifact = self._known(artifact)
        place = f"/v1/artifacts/{_quoted(artifact.artifact_id)}/v/{artifact.version}/tags"
        return self._json("PUT", place, {"key": key, "value": value})

    def get_registry_audit(self, name=None, limit=100):
        from urllib.parse import urlencode

        query = urlencode({"limit": limit, **({"name": name} if name else {})})
        return self._json("GET", f"/v1/registry/audit?{query}")

    def promote(self, ref, *, name, alias=None, tags=None):
        """Copy an input of this cell, or `<id>@v=<n>`, to the team store, under a name."""
        artifact = self._known(self._inputs.get(ref, ref) if isinstance(ref, str) else ref)
        place = f"{self._promote_url}/artifacts/{_quoted(artifact.artifact_id)}/v/{artifact.version}/promote"
        return self._json("POST", place, {"name": name, "alias": alias, "tags": tags or {}})

    def close(self):
        """Nothing is held open."""

    def __repr__(self):
        return f"<svc at {self.base_url}>"

    def _stored(self, uri, hit, name):
        artifact = self._artifact(uri, hit)
        if name is not None:
            try:
                self.set_tag(artifact, "nb_cell", self._cell_id)
            except ServerRefused:
                pass  # the result is there; only where it came from is not written down
        return artifact

    def _from(self, answer):
        if "artifact_uri" in answer:
            return self._artifact(answer["artifact_uri"])
        return Artifact(self, answer["artifact_id"], answer["version"])

    def _artifact(self, uri, hit=None):
        identifier, _, version = uri.removeprefix("svc://artifact/").rpartition("@v=")
        if not identifier or not version.isdecimal():
            raise ValueError(f"{uri!r} is neither an input of this cell nor an artifact such as <id>@v=<n>")
        return Artifact(self, identifier, int(version), hit)

    def _known(self, artifact):
        return self._artifact(artifact) if isinstance(artifact, str) else artifact

    def _json(self, method, path, body=None, data=None):
        headers, content = {}, None
        if data is not None:
            headers, content = _multipart(json.dumps(body).encode(), data)
        elif body is not None:
            headers, content = {"Content-Type": "application/json"}, json.dumps(body).encode()
        return json.loads(self._ask(method, path, headers, content) or b"null")

    def _ask(self, method, path, headers=None, content=None):
        import urllib.error
        import urllib.request

        url = path if path.startswith("http") else self.base_url + path
        request = urllib.request.Request(url, content, {**self._headers, **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return answer.read()
        except urllib.error.HTTPError as problem:
            said = problem.read().decode("utf-8", "replace")
            raise ServerRefused(f"{method} {path} answered {problem.code}: {said[:2000]}") from None
        except urllib.error.URLError as problem:
            raise ServerRefused(f"{method} {path} reached nobody: {problem.reason}") from None


def _quoted(text, safe=""):
    from urllib.parse import quote

    return quote(str(text), safe=safe)


def _transform(transform):
    if isinstance(transform, str):
        return {"executor": transform, "params": {}}
    return {("executor" if key == "ref" else key): value for key, value in transform.items()}


def _arrow_bytes(data):
    """An Arrow stream of a table, a frame, columns or, for anything else, one text of JSON."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    import pyarrow
    import pyarrow.ipc

    if isinstance(data, dict):
        lengths = {len(column) for column in data.values()} if all(isinstance(c, list) for c in data.values()) else set()
        data = pyarrow.table(data) if len(lengths) == 1 else pyarrow.table({"data": [json.dumps(data)]})
    elif hasattr(data, "to_arrow"):
        data = data.to_arrow()
    elif not isinstance(data, pyarrow.Table):
        data = pyarrow.Table.from_pandas(data)
    sink = io.BytesIO()
    with pyarrow.ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data)
    return sink.getvalue()


def _multipart(metadata, data):
    mark = os.urandom(16).hex()
    parts = b"".join(
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n"
        for name, content in (("metadata", metadata), ("data", data))
    )
    return {"Content-Type": f"multipart/form-data; boundary={mark}"}, parts + f"--{mark}--\r\n".encode()
