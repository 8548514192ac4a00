"""Metastores of Hive 4, which no longer know the call that pyiceberg looks tables up with."""

import pyiceberg.catalog.hive
from hive_metastore.ThriftHiveMetastore import Client
from hive_metastore.ttypes import GetTableRequest
from thrift.Thrift import TApplicationException


class AnyHiveClient(Client):
    def get_table(self, dbname, tbl_name):
        try:
            return super().get_table(dbname, tbl_name)
        except TApplicationException as problem:
            if problem.type != TApplicationException.UNKNOWN_METHOD:
                raise
            return self.get_table_req(GetTableRequest(dbName=dbname, tblName=tbl_name)).table


def understand_every_version():
    """From now on; pyiceberg offers no other place to say which client it speaks through."""
    pyiceberg.catalog.hive.Client = AnyHiveClient
