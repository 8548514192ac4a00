"""Columns as a result's schema has them: plain values with 32-bit offsets.

Nested columns are rebuilt member by member: Arrow's own cast of maps ends the process on some of them.
"""

import pyarrow


def fitted(column, kind):
    if column.type == kind:
        return column
    if isinstance(kind, pyarrow.BaseExtensionType):
        return pyarrow.ExtensionArray.from_storage(kind, fitted(plain(column), kind.storage_type))
    if pyarrow.types.is_struct(kind):
        column = whole(column)
        members = [fitted(column.field(place), kind.field(place).type) for place in range(kind.num_fields)]
        return pyarrow.StructArray.from_arrays(members, fields=list(kind), mask=mask_of(column))
    if pyarrow.types.is_list(kind):
        column = whole(column)
        values = fitted(column.values, kind.value_type)
        return pyarrow.ListArray.from_arrays(offsets_of(column), values, type=kind, mask=mask_of(column))
    if pyarrow.types.is_map(kind):
        column = whole(column)
        keys, items = fitted(column.keys, kind.key_type), fitted(column.items, kind.item_type)
        return pyarrow.MapArray.from_arrays(offsets_of(column), keys, items, type=kind, mask=mask_of(column))
    return plain(column).cast(kind)


def whole(column):
    """A copy that begins at its own beginning: members of a slice do not know where it starts."""
    return column if column.offset == 0 else pyarrow.concat_arrays([column, column.slice(0, 0)])


def mask_of(column):
    return column.is_null() if column.null_count else None


def offsets_of(column):
    return column.offsets.cast(pyarrow.int32())


def plain(column):
    return column.storage if isinstance(column, pyarrow.ExtensionArray) else column
