"""Types of pandas, which is not here: Arrow alone takes them for what they are stored as, and the field's metadata says what they are."""

import json


def with_told(table, name, teller):
    """The table with what is told in place of its columns of this type.

    `teller` gives for the notes on a type the function that tells a column, or None where it knows no way.
    """
    for at, field in enumerate(table.schema):
        notes = _notes_on(field, name)
        tell = None if notes is None else teller(notes)
        if tell is not None:
            table = table.set_column(at, field.name, tell(table.column(at)))
    return table


def _notes_on(field, name):
    metadata = field.metadata or {}
    if metadata.get(b"ARROW:extension:name") != name:
        return None
    try:
        notes = json.loads(metadata[b"ARROW:extension:metadata"])
    except (KeyError, ValueError):
        return None
    return notes if isinstance(notes, dict) else None
