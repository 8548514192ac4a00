"""Names that several cells write: which they are, and the edits that give each definition a name of its own."""
