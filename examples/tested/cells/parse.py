def parse(line):
    name, _, count = line.partition(":")
    return name.strip(), int(count)


example = parse("apples: 3")
example
