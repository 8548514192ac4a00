"""The Python side of the server: static analysis of cells and the data engine.

Started by the server's engine room as `python -I [-S] <path>/svc_engine/__main__.py analysis|data|sql`; see `__main__.py`.
"""
