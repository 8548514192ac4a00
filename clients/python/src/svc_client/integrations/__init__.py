"""Tables of a server in other libraries: `arrow`, `pandas`, `polars`, `duckdb`, `datafusion`; each needs its own."""
