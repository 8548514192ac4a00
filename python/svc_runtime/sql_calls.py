"""Methods that are given a statement of SQL, in which DuckDB finds variables by their names."""

TAKE_SQL = frozenset({"sql", "query", "execute", "from_query", "query_df"})
