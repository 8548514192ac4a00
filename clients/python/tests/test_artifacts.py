import asyncio
import datetime
import decimal

import pandas
import polars
import pyarrow as pa
import pytest

from svc_client import AsyncSvcClient, NotFound, SvcClient, SvcError, compute_filter_fingerprint, eq, gt


def test_health(client):
    assert client.health() == {"status": "ok"}
    assert "scan_count" in client.metrics() or client.metrics()


@pytest.mark.parametrize(
    "data",
    [
        pa.table({"a": [1, 2], "b": ["x", None]}),
        pandas.DataFrame({"a": [1, 2], "b": ["x", None]}),
        polars.DataFrame({"a": [1, 2], "b": ["x", None]}),
        {"a": [1, 2], "b": ["x", None]},
    ],
    ids=["arrow", "pandas", "polars", "columns"],
)
def test_what_is_stored_comes_back(client, data):
    stored = client.put([], "kept@v1", data, name="kept/table")
    assert stored.to_table().to_pydict() == {"a": [1, 2], "b": ["x", None]}
    found = client.get_artifact_by_name("kept/table")
    assert (found.uri, found.name_uri) == (stored.uri, "svc://name/kept/table")
    assert found.to_polars().to_dict(as_series=False) == {"a": [1, 2], "b": ["x", None]}
    assert found.to_pandas()["a"].tolist() == [1, 2]


def test_documents_come_back_as_documents(client):
    document = {"model": "m", "layers": [3, {"wide": True}]}
    assert client.get_json(client.put_json([], "doc@v1", document).uri) == document


def test_the_same_is_stored_once(client):
    first = client.put(["a"], "once@v1", {"x": [1]})
    again = client.put(["a"], "once@v1", {"x": [1]})
    assert (first.cache_hit, again.cache_hit, again.uri) == (False, True, first.uri)


def test_names_aliases_and_tags(client):
    stored = client.put([], "named@v1", {"x": [1]}, name="models/best")
    client.set_alias("models/best", "live", stored.artifact_id, stored.version)
    assert client.resolve_alias("models/best", "live")["artifact_uri"] == stored.uri
    assert [one["alias"] for one in client.list_aliases("models/best")] == ["live"]
    client.set_tag(stored.artifact_id, stored.version, "stage", "test")
    assert client.get_tags(stored.artifact_id, stored.version) == {"stage": "test"}
    client.delete_tag(stored.artifact_id, stored.version, "stage")
    client.delete_alias("models/best", "live")
    assert client.list_aliases("models/best") == []
    assert client.is_artifact_stale("models/best") is False
    assert stored.lineage()["artifact_uri"] == stored.uri


def test_bytes_by_how_they_came_about(client):
    provenance = "ab" * 32
    assert client.find_by_provenance(provenance) is None
    client.put_by_provenance(provenance, b"\x00\x01", content_type="application/octet-stream")
    assert client.find_by_provenance(provenance)["byte_size"] == 2


def test_refusals_say_what_was_wrong(client):
    with pytest.raises(NotFound) as refused:
        client.get_artifact("nothing", 1)
    assert refused.value.status == 404 and refused.value.request_id
    with pytest.raises(SvcError):
        client.materialize(["file:///nowhere#a.b"], "scan@v1")


def test_collecting_says_what_it_would_do(client):
    assert client.garbage_collect(max_idle_days=3650, dry_run=True)["dry_run"] is True


def test_the_asynchronous_client_does_the_same():
    async def use():
        async with AsyncSvcClient() as client:
            stored = await client.put([], "async@v1", {"x": [1, 2]})
            table, info = await asyncio.gather(stored.to_table(), stored.info())
            return table.to_pydict(), info["state"]

    assert asyncio.run(use()) == ({"x": [1, 2]}, "ready")


def test_fingerprints_do_not_depend_on_the_order():
    day = datetime.date(2026, 1, 2)
    one, other = gt("day", day), eq("price", decimal.Decimal("1.5"))
    assert compute_filter_fingerprint([one, other]) == compute_filter_fingerprint([other, one])
    assert compute_filter_fingerprint([]) == "nofilter"
    assert one.wire() == {"column": "day", "op": ">", "value": "__date__:2026-01-02"}


def test_an_address_comes_from_where_it_is_said(monkeypatch, tmp_path):
    monkeypatch.delenv("SVC_SERVER_URL")
    monkeypatch.delenv("SVC_PORT", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.svc]\nhost = "box"\nport = 9000\n')
    assert SvcClient().base_url in ("http://box:9000", "http://127.0.0.1:8765")  # the latter on Python 3.10
    monkeypatch.setenv("SVC_PORT", "9100")
    assert SvcClient().base_url.endswith(":9100")
    assert SvcClient("http://there:1/").base_url == "http://there:1"
