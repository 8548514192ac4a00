"""An Iceberg REST catalog in front of a SQL one, as small as the protocol allows: what clients send goes through the real
protocol, what it means is left to pyiceberg. Prints its port; asks for a bearer token.

    python restCatalog.py <warehouse folder> <token>
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from pyiceberg.catalog.rest import CreateTableRequest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.table import CommitTableRequest

folder, token = sys.argv[1:]
catalog = SqlCatalog("rest", uri=f"sqlite:///{folder}/rest.db", warehouse=f"file://{folder}")

STATUSES = {
    NoSuchTableError: 404,
    NoSuchNamespaceError: 404,
    NamespaceAlreadyExistsError: 409,
    TableAlreadyExistsError: 409,
    CommitFailedException: 409,
}


def loaded(table):
    metadata = json.loads(table.metadata.model_dump_json())
    return {"metadata-location": table.metadata_location, "metadata": metadata, "config": {}}


def answer(method, path, body):
    match method, [unquote(part) for part in path.split("/")[2:]]:
        case "GET", ["config"]:
            return {"defaults": {}, "overrides": {}}
        case "GET", ["namespaces"]:
            return {"namespaces": [list(one) for one in catalog.list_namespaces()]}
        case "POST", ["namespaces"]:
            catalog.create_namespace(tuple(json.loads(body)["namespace"]))
            return json.loads(body)
        case "POST", ["namespaces", namespace, "tables"]:
            asked = CreateTableRequest.model_validate({"location": None, **json.loads(body)})
            made = catalog.create_table(
                (namespace, asked.name),
                asked.table_schema,
                partition_spec=asked.partition_spec,
                properties=asked.properties,
            )
            return loaded(made)
        case "GET", ["namespaces", namespace, "tables", name]:
            return loaded(catalog.load_table((namespace, name)))
        case "POST", ["namespaces", namespace, "tables", name]:
            asked = CommitTableRequest.model_validate_json(body)
            table = catalog.load_table((namespace, name))
            done = catalog.commit_table(table, asked.requirements, asked.updates)
            return {"metadata-location": done.metadata_location, "metadata": json.loads(done.metadata.model_dump_json())}
    raise LookupError(f"{method} {path}")


class Handler(BaseHTTPRequestHandler):
    def respond(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("authorization") != f"Bearer {token}":
            return self.send(401, problem(401, "NotAuthorizedException", "The token is wrong."))
        try:
            return self.send(200, answer(self.command, self.path.split("?")[0], body))
        except tuple(STATUSES) as known:
            status = STATUSES[type(known)]
            return self.send(status, problem(status, type(known).__name__, str(known)))
        except Exception as unknown:
            return self.send(500, problem(500, type(unknown).__name__, repr(unknown)))

    do_GET = do_POST = respond

    def send(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_args):
        pass


def problem(status, kind, message):
    return {"error": {"message": message, "type": kind, "code": status}}


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
