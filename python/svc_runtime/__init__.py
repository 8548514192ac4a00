"""Runs the cells of a notebook in the notebook's own interpreter. Only the standard library is needed; pyarrow and
cloudpickle are used when the environment has them. Works on Python 3.10 and later.
"""
