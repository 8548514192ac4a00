"""Iceberg tables: find them in catalogs, plan a scan, decode row groups into files of Arrow batches, write tables.

Operations raise the refusals of `refusals.py`; the server knows what each of them means for a request.
"""
