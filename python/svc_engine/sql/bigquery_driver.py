"""BigQuery by its own client. What may be done is what the key may do."""

import datetime
import decimal
import json
import uuid

from google.auth.credentials import AnonymousCredentials
from google.cloud import bigquery
from google.oauth2 import service_account

from svc_engine.sql.places_of_cells import as_user_of_cells

_SCOPES = ("https://www.googleapis.com/auth/bigquery", "https://www.googleapis.com/auth/drive.readonly")
_TYPES = (
    (bool, "BOOL"), (int, "INT64"), (float, "FLOAT64"), (str, "STRING"), (bytes, "BYTES"),
    (decimal.Decimal, "BIGNUMERIC"), (uuid.UUID, "STRING"), (datetime.datetime, "DATETIME"), (datetime.date, "DATE"),
    (datetime.time, "TIME"),
)  # fmt: skip


def open_session(connection, writable, tables):
    return Session(connection, writable)


class Session:
    kept = -1

    def __init__(self, connection, writable):
        endpoint = connection.get("endpoint")
        self._dataset = connection.get("dataset_id")
        self._client = bigquery.Client(
            project=connection.get("project_id"),
            credentials=AnonymousCredentials() if endpoint else _credentials(connection, writable),
            client_options={"api_endpoint": endpoint} if endpoint else None,
        )

    def rows(self, text, binds):
        return self._run(text, binds).result().to_arrow(create_bqstorage_client=False)

    def change(self, text, binds, counts):
        job = self._run(text, binds)
        job.result()
        return job.num_dml_affected_rows

    def commit(self):
        """Every statement is its own transaction."""

    def freshness(self, tables):
        found = [self._table(parts) for parts in tables]
        if any(table is None or table.table_type != "TABLE" for table in found):
            return None
        return [[table.full_table_id, table.modified.isoformat()] for table in found]

    def columns(self, tables):
        found = [table for table in map(self._table, tables) if table is not None]
        return [[table.full_table_id, _columns(table)] for table in found]

    def tables(self):
        if self._dataset is None:
            raise ValueError("the connection names no dataset_id")
        listed = [self._client.get_table(item.reference) for item in self._client.list_tables(self._dataset)]
        return [
            {"catalog": table.project, "schema": table.dataset_id, "name": table.table_id, "columns": _columns(table)}
            for table in listed
        ]

    def close(self):
        self._client.close()

    def _run(self, text, binds):
        default = f"{self._client.project}.{self._dataset}" if self._dataset else None
        parameters = [bigquery.ScalarQueryParameter(None, _type(value), _plain(value)) for value in binds]
        config = bigquery.QueryJobConfig(query_parameters=parameters, default_dataset=default)
        return self._client.query(text, job_config=config)

    def _table(self, parts):
        names = [part for name in parts for part in name.split(".")]
        if len(names) == 1:
            if self._dataset is None:
                return None
            names = [self._dataset, *names]
        return self._client.get_table(".".join(names if len(names) == 3 else [self._client.project, *names]))


def _credentials(connection, writable):
    file = (connection.get("write_credentials_path") if writable else None) or connection.get("credentials_path")
    if not file:
        return None
    with as_user_of_cells([file]), open(file, encoding="utf-8") as opened:
        text = opened.read()
    return service_account.Credentials.from_service_account_info(json.loads(text), scopes=_SCOPES)


def _columns(table):
    return [
        {"name": field.name, "type": field.field_type, "nullable": field.mode != "REQUIRED"} for field in table.schema
    ]


def _type(value):
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return "TIMESTAMP"
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "STRING")


def _plain(value):
    return str(value) if isinstance(value, uuid.UUID) else value
