"""Columns of any type in the forms that Arrow can compute with: the plain form, which is compared and sorted, and text."""

import json

from svc_engine.browsing import CannotBrowse
from svc_engine.browsing.shown import shown_values
from svc_engine.data import require

_TEXT_ROWS = 10_000


def plain(column):
    """The same values in a type that Arrow compares: without dictionaries, runs, views, extensions and short numbers."""
    arrow = require("pyarrow")
    kind = column.type
    pieces = [_plain_array(piece) for piece in column.chunks]
    if not pieces:
        return arrow.chunked_array([_plain_array(arrow.array([], _storable(kind)))])
    return arrow.chunked_array(pieces)


def _storable(kind):
    """A type that an empty array can be made of in place of `kind`."""
    arrow = require("pyarrow")
    while isinstance(kind, arrow.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if arrow.types.is_run_end_encoded(kind) or arrow.types.is_dictionary(kind) else kind


def _plain_array(array):
    arrow = require("pyarrow")
    compute, types, kind = require("pyarrow.compute"), arrow.types, array.type
    if isinstance(kind, arrow.BaseExtensionType):
        storage = array.storage
        return storage.cast(arrow.bool_()) if kind.extension_name == "arrow.bool8" else _plain_array(storage)
    if types.is_run_end_encoded(kind):
        return _plain_array(compute.run_end_decode(array))
    if types.is_dictionary(kind):
        return _plain_array(array.dictionary).take(array.indices)
    narrow = {
        arrow.float16(): arrow.float32(),
        arrow.string_view(): arrow.large_string(),
        arrow.binary_view(): arrow.large_binary(),
    }
    if kind in narrow:
        return array.cast(narrow[kind])
    if types.is_decimal32(kind) or types.is_decimal64(kind):
        return array.cast(arrow.decimal128(kind.precision, kind.scale))
    return array


def is_number(kind):
    types = require("pyarrow").types
    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)


def is_temporal(kind):
    """A moment, a day, a time or a duration. Intervals of months have no order: a month may be shorter than 30 days."""
    types = require("pyarrow").types
    return types.is_temporal(kind) and not types.is_interval(kind)


def value_kind(column):
    """The type of the plain form, without making it."""
    arrow = require("pyarrow")
    return plain(column.slice(0, 0)).type if column.num_chunks else _plain_array(arrow.array([], _storable(column.type))).type


def sortable(name, column):
    arrow = require("pyarrow")
    if arrow.types.is_dictionary(column.type) and column.type.ordered:
        return _places_in_order(column)
    types, kind = arrow.types, value_kind(column)
    has_order = is_number(kind) or is_temporal(kind) or types.is_boolean(kind) or types.is_null(kind)
    has_order = has_order or is_text(kind) or is_bytes(kind)
    if not has_order:
        raise CannotBrowse(f"The column {name!r} holds {column.type}, which has no order: sort by another column")
    return plain(column)


def _places_in_order(column):
    """Of ordered categories: `small` comes before `large`."""
    arrow = require("pyarrow")
    pieces = [piece.indices for piece in column.unify_dictionaries().chunks]
    return arrow.chunked_array(pieces, column.type.index_type)


def is_text(kind):
    types = require("pyarrow").types
    return types.is_string(kind) or types.is_large_string(kind)


def is_bytes(kind):
    types = require("pyarrow").types
    return types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)


def text(column):
    """The column as text, nulls as nulls: as Arrow writes it, and otherwise as a page shows it."""
    arrow = require("pyarrow")
    compute = require("pyarrow.compute")
    if _is_uuid(column.type):
        return shown_text(column)
    try:
        values = plain(column)
        return values if is_text(values.type) else compute.cast(values, arrow.large_string())
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError):
        return shown_text(column)


def _is_uuid(kind):
    return getattr(kind, "extension_name", None) == "arrow.uuid"


def shown_text(column):
    arrow = require("pyarrow")
    pieces = [arrow.array([], arrow.large_string())]
    for start in range(0, len(column), _TEXT_ROWS):
        part = column.slice(start, _TEXT_ROWS)
        valid = part.is_valid().to_pylist()
        values = (_as_text(value) if there else None for value, there in zip(shown_values(part), valid))
        pieces.append(arrow.array(values, arrow.large_string()))
    return arrow.chunked_array(pieces)


def _as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def takeable(column):
    """Runs and views as plain columns: rows cannot be taken from them as they are."""
    arrow = require("pyarrow")
    kind = column.type
    is_view = kind in (arrow.string_view(), arrow.binary_view())
    return plain(column) if is_view or arrow.types.is_run_end_encoded(kind) else column


def rows_of(column, indices):
    """The rows at `indices`. Where Arrow cannot take from a nested type, each row is a piece of its own."""
    arrow = require("pyarrow")
    try:
        return column.take(indices)
    except arrow.ArrowNotImplementedError:
        rows = [column.slice(at, 1).chunk(0) for at in indices.to_pylist()]
        return arrow.chunked_array(rows, type=column.type)
