"""A Hive metastore that keeps its tables in memory: the calls that Iceberg catalogs make, over the real Thrift protocol.
Like Hive it gives a lock on a table to one at a time, ignores the case of names, and refuses what it does not know. Prints its
port.

    python hiveMetastore.py <warehouse folder> <3 or 4>

Hive 4 has no `get_table` any more.
"""

import itertools
import sys
import threading

from hive_metastore.ThriftHiveMetastore import Processor
from hive_metastore.ttypes import (
    AlreadyExistsException,
    Database,
    GetTableResult,
    InvalidOperationException,
    LockResponse,
    LockState,
    NoSuchObjectException,
)
from thrift.protocol import TBinaryProtocol
from thrift.server import TServer
from thrift.transport import TSocket, TTransport

folder, version = sys.argv[1:]


class Metastore:
    def __init__(self):
        self.databases = {"db": Database(name="db", locationUri=f"file://{folder}/db.db", parameters={})}
        self.tables = {}
        self.locked = {}
        self.numbers = itertools.count(1)
        self.turn = threading.Lock()

    def get_all_databases(self):
        return list(self.databases)

    def get_database(self, name):
        return known(self.databases, name)

    def create_database(self, database):
        self.databases[database.name] = database

    def get_all_tables(self, database):
        return [table for owner, table in self.tables if owner == database]

    def get_table_objects_by_name(self, database, names):
        return [self.tables[database, name] for name in names if (database, name) in self.tables]

    def get_table(self, database, name):
        return known(self.tables, (database.lower(), name.lower()))

    def get_table_req(self, request):
        return GetTableResult(table=self.get_table(request.dbName, request.tblName))

    def create_table(self, table):
        known(self.databases, table.dbName)
        if (table.dbName, table.tableName) in self.tables:
            raise AlreadyExistsException(message=f"{table.tableName} is there already")
        self.tables[table.dbName, table.tableName] = table

    def drop_table(self, database, name, delete_data):
        del self.tables[database, name]

    def alter_table_with_environment_context(self, database, name, table, context):
        if (database, name) not in self.locked.values():
            raise InvalidOperationException(message="a table is changed under its lock")
        self.tables[database, name] = table

    def lock(self, request):
        (component,) = request.component
        place = component.dbname, component.tablename
        with self.turn:
            number = next(self.numbers)
            free = place not in self.locked.values()
            if free:
                self.locked[number] = place
        return LockResponse(lockid=number, state=LockState.ACQUIRED if free else LockState.NOT_ACQUIRED)

    def check_lock(self, request):
        held = request.lockid in self.locked
        return LockResponse(lockid=request.lockid, state=LockState.ACQUIRED if held else LockState.NOT_ACQUIRED)

    def unlock(self, request):
        self.locked.pop(request.lockid, None)


def known(things, name):
    if name not in things:
        raise NoSuchObjectException(message=f"{name} is not known")
    return things[name]


processor = Processor(Metastore())
if version == "4":
    del processor._processMap["get_table"]
listener = TSocket.TServerSocket("127.0.0.1", 0)
listener.listen()
print(listener.handle.getsockname()[1], flush=True)
listener.listen = lambda: None  # it listens already: the port had to be known
TServer.TThreadedServer(
    processor, listener, TTransport.TBufferedTransportFactory(), TBinaryProtocol.TBinaryProtocolFactory()
).serve()
