"logistics" if triage["late"] else "product"
