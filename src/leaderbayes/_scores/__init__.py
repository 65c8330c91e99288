"""The reader of scores: files, tables, roles of columns, names; and the matches in them."""
