"""Rows that filters, searches and orders gave, kept for whoever pages on in the same view of the same file."""

import collections
import json
import os

_MOST_BYTES = 96 * 1024 * 1024

_kept = collections.OrderedDict()


def kept_rows(params, parts, make):
    """What `make` gave before for these parts of the view, or gives now: an array of rows, or None for all of them."""
    key = _key(params, parts)
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    rows = _kept[key] = _narrow(make())
    while len(_kept) > 1 and sum(map(_bytes, _kept.values())) > _MOST_BYTES:
        _kept.popitem(last=False)
    return rows


def is_kept(params, parts):
    return _key(params, parts) in _kept


def rows_of_shorter_search(params):
    """Rows that a search for a part of this one's text left, of the same file and with the same filters; None: nobody did."""
    file, changed, size, _ = _key(params, ())
    filters, wanted = params.get("filters"), params["search"]
    for kept, rows in reversed(_kept.items()):
        if kept[:3] == (file, changed, size) and rows is not None:
            before, search, *order = json.loads(kept[3])
            if not order and before == filters and search and search in wanted:
                return rows
    return None


def _key(params, parts):
    state = os.stat(params["file"])
    view = json.dumps([params.get(part) for part in parts], sort_keys=True)
    return params["file"], state.st_mtime_ns, state.st_size, view


def _narrow(rows):
    """Row numbers in half the room, where they fit."""
    return rows if rows is None or len(rows) >= 1 << 31 else rows.cast("uint32", safe=False)


def _bytes(rows):
    return 0 if rows is None else rows.nbytes
