"""Looking into a stored table: what a column of any type is shown as, compared by, searched in and exported as."""


class CannotBrowse(ValueError):
    """What was asked makes no sense for a column; the message names the column, its type and what to do instead."""
