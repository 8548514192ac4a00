"""The data engine: Arrow, Iceberg and DuckDB behind the same frames as the analysis.

Needs the packages of `requirements.txt`. A missing one is a clean refusal that says what to install: this process has
to start without them in order to be able to say so.
"""

from importlib import import_module, metadata

PACKAGES = ("pyarrow", "pyiceberg", "duckdb")


class MissingPackage(ImportError):
    pass


def require(package):
    try:
        return import_module(package)
    except ImportError as problem:
        raise MissingPackage(
            f"the data engine's environment lacks {package} ({problem}): "
            "install python/svc_engine/requirements.txt into it"
        ) from problem


def versions(_params):
    """Versions of what the engine stands on, and the allocator that Arrow chose."""
    for package in PACKAGES:
        require(package)
    return {
        "packages": {package: metadata.version(package) for package in PACKAGES},
        "arrowMemoryPool": require("pyarrow").default_memory_pool().backend_name,
    }
