import pytest

from svc_client import SvcClient, gt, scan
from svc_client.integrations.arrow import dataset
from svc_client.integrations.duckdb import svc_query
from svc_client.integrations.pandas import SvcPandasScanner, fetch_to_pandas
from svc_client.integrations.polars import fetch_to_lazy, fetch_to_polars


def test_a_scan_reads_what_was_asked_for(client, table):
    found = client.materialize([table], scan(columns=["id", "price"], filters=[gt("price", 97.0)]))
    assert found.to_table().to_pydict() == {"id": [98, 99], "price": [98.0, 99.0]}
    kept = client.materialize([table], scan(columns=["id", "price"], filters=[gt("price", 97.0)]), mode="artifact")
    assert kept.uri == found.uri


def test_a_stream_comes_batch_by_batch(client, table):
    with client.stream([table], scan(columns=["id"])) as batches:
        assert sorted(row for batch in batches for row in batch.column("id").to_pylist()) == list(range(100))


def test_artifact_mode_leaves_the_bytes_on_the_server(client, table):
    stored = client.materialize([table], scan(columns=["price"]), mode="artifact", name="prices")
    assert stored.to_table().num_rows == 100
    assert client.get_artifact_by_name("prices").uri == stored.uri


def test_sql_runs_on_the_server(client, table):
    transform = {"executor": "duckdb_sql@v1", "params": {"sql": "SELECT max(price) AS top FROM input0"}}
    assert client.materialize([table], transform).to_table().to_pydict() == {"top": [99.0]}
    assert client.explain_materialize([table], transform)["would_hit"] is True


def test_datasets(table):
    orders = dataset(table)
    assert orders.count_rows() == 100
    assert orders.head(3, ["id"]).num_rows == 3
    assert orders.scanner(["price"]).to_table().num_rows == 100


def test_frames(table):
    assert fetch_to_pandas(table, ["id"])["id"].sum() == 4950
    assert fetch_to_polars(table, ["id"])["id"].sum() == 4950
    assert fetch_to_lazy(table, ["id"]).collect().height == 100
    assert sum(len(frame) for frame in SvcPandasScanner(table).fetch_batches(["id"])) == 100


def test_duckdb_joins_tables_of_a_server(table):
    found = svc_query("SELECT count(*) AS n FROM a JOIN b USING (id)", {"a": table, "b": table})
    assert found.to_pydict() == {"n": [100]}


def test_datafusion(table):
    pytest.importorskip("datafusion")
    from svc_client.integrations.datafusion import SvcDataFusionContext

    context = SvcDataFusionContext()
    context.register("orders", table)
    assert context.sql("SELECT sum(id) AS s FROM orders").to_pydict() == {"s": [4950]}


def test_a_busy_server_is_asked_again(table):
    import httpx

    from svc_client import RetryConfig

    asked = []

    def answer(request):
        asked.append(request.url.path)
        if len(asked) == 1:
            return httpx.Response(503, headers={"Retry-After": "0"}, json={"detail": "later"})
        return httpx.Response(200, json={"status": "ok"})

    retry = RetryConfig(jitter=0)
    with SvcClient.from_transport(httpx.MockTransport(answer), base_url="http://x", retry_config=retry) as client:
        assert client.health() == {"status": "ok"}
    assert asked == ["/health", "/health"]
