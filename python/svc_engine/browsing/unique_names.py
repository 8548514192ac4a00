"""Two columns of one name: each can be asked for under a name of its own, as queries give it: the second `a` is `a_1`."""

import json

HEADS = b"svc.arrow.heads"


def with_unique_names(table):
    """What its owner calls the columns stays in its metadata."""
    names = table.column_names
    if len(set(names)) == len(names):
        return table
    metadata = {**(table.schema.metadata or {}), HEADS: json.dumps(names).encode()}
    return table.rename_columns(_unique(names)).replace_schema_metadata(metadata)


def heads_in(schema):
    """None where the names say it."""
    heads = (schema.metadata or {}).get(HEADS)
    return None if heads is None else json.loads(heads)


def _unique(names):
    taken = set(names)
    seen = set()
    found = []
    for name in names:
        unique, count = name, 0
        while unique in seen or (count > 0 and unique in taken):
            count += 1
            unique = f"{name}_{count}"
        seen.add(unique)
        found.append(unique)
    return found
