sum(len(page.read_text().split()) for page in sorted(pages.glob("*.txt")))
