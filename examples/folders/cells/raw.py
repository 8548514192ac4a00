# @mount inbox file_inbox
sorted(file.name for file in inbox.iterdir())
