# @write_table ledger lab:shop.ledger append
import pyarrow as pa

ledger = pa.table({"plan": list(budget), "budget": list(budget.values())})
