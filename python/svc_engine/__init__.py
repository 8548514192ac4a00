"""The Python side of the server: static analysis of cells and the data engine.

Started by the server's engine room as `python -I [-S] <path>/svc_engine analysis|data`; see `__main__.py`.
"""
