"""Access to files of tables, local and in object stores: pyiceberg's own, and what its properties cannot say."""

import datetime
import json
import os
import tempfile

from pyiceberg.io import GCS_TOKEN, GCS_TOKEN_EXPIRES_AT_MS
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.utils.datetime import millis_to_datetime

from svc_engine.tables.patience import answers, guard

ALIASES = {"gcs": "gs", "az": "abfs", "azure": "abfs"}
AZURE_OPTIONS = (
    "account_name",
    "account_key",
    "sas_token",
    "tenant_id",
    "client_id",
    "client_secret",
    "blob_storage_authority",
    "blob_storage_scheme",
    "dfs_storage_authority",
    "dfs_storage_scheme",
)
AZURE = ("abfs", "abfss", "wasb", "wasbs")


class StorageIO(PyArrowFileIO):
    @staticmethod
    def parse_location(location, properties=None):
        scheme, netloc, path = PyArrowFileIO.parse_location(location, properties or {})
        scheme = ALIASES.get(scheme, scheme)
        if scheme in AZURE and "@" in netloc:
            # `abfs://container@account.host/path`: the settings say which account.
            container = netloc.split("@", 1)[0]
            return scheme, container, container + path[len(netloc) :]
        return scheme, netloc, path

    def _guard(self):
        guard(float(self.properties["s3.connect-timeout"]), float(self.properties["s3.request-timeout"]))

    def _initialize_azure_fs(self):
        from pyarrow.fs import AzureFileSystem

        self._guard()
        authority = self.properties.get("adls.blob-storage-authority")
        if authority is None:
            authority = f"{self.properties.get('adls.account-name')}.blob.core.windows.net"
        scheme = self.properties.get("adls.blob-storage-scheme", "https")
        answers(f"{scheme}://{authority}/", float(self.properties["s3.request-timeout"]))
        # Without key and token the client takes the default credential of this machine.
        given = {option: self.properties.get(f"adls.{option.replace('_', '-')}") for option in AZURE_OPTIONS}
        return AzureFileSystem(**{option: value for option, value in given.items() if value is not None})

    def _initialize_gcs_fs(self):
        from pyarrow.fs import GcsFileSystem

        self._guard()
        if self.properties.get("svc.gcs.credentials") is not None:
            use_credentials(self.properties["svc.gcs.credentials"])
        # By itself the client tries again for a quarter of an hour.
        options = {"retry_time_limit": datetime.timedelta(seconds=5)}
        if self.properties.get("svc.gcs.anonymous") == "true":
            options["anonymous"] = True
        elif self.properties.get(GCS_TOKEN) is not None:
            options["access_token"] = self.properties[GCS_TOKEN]
            expires = self.properties.get(GCS_TOKEN_EXPIRES_AT_MS)
            if expires is not None:
                options["credential_token_expiration"] = millis_to_datetime(int(expires))
        host = self.properties.get("gcs.service.host")
        if host is not None:
            options["scheme"], options["endpoint_override"] = host.split("://", 1)
        if self.properties.get("gcs.default-bucket-location") is not None:
            options["default_bucket_location"] = self.properties["gcs.default-bucket-location"]
        return GcsFileSystem(**options)


def use_credentials(given):
    """The client library takes credentials from a file that a variable names; they may be given as JSON instead."""
    if not given.lstrip().startswith("{"):
        os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = given
        return
    json.loads(given)
    handle, path = tempfile.mkstemp(prefix="svc-gcs-", suffix=".json")
    with open(handle, "w") as file:
        file.write(given)
    os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = path
