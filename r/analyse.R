# What R sources define and read, by their top-level statements. A source that cannot be parsed has no names.

analyse_source <- function(source) {
  statements <- tryCatch(parse(text = source, keep.source = FALSE), error = function(problem) NULL)
  state <- new.env()
  state$defines <- character()
  state$references <- character()
  for (statement in as.list(statements)) analyse_statement(statement, state)
  list(defines = as.list(unique(state$defines)), references = as.list(sort(unique(state$references))))
}

analyse_statement <- function(expr, state) {
  if (is.call(expr) && is.name(expr[[1]])) {
    operator <- as.character(expr[[1]])
    # The parser has turned `->` into `<-` already.
    if (operator %in% c("<-", "=", "<<-")) {
      analyse_reads(expr[[3]], state)
      return(analyse_target(expr[[2]], state))
    }
  }
  analyse_reads(expr, state)
}

# `df$b <- v` and `names(df) <- v` change what they name: it is read, and defined again.
analyse_target <- function(target, state) {
  if (is.character(target)) target <- as.name(target)
  if (is.name(target)) return(state$defines <- c(state$defines, as.character(target)))
  root <- target
  while (is.call(root)) {
    operator <- as.character(root[[1]])[[1]]
    if (!operator %in% c("$", "@")) for (argument in as.list(root)[-(1:2)]) analyse_reads(argument, state)
    root <- root[[2]]
  }
  if (is.character(root)) root <- as.name(root)
  if (is.name(root)) {
    analyse_reads(root, state)
    state$defines <- c(state$defines, as.character(root))
  }
}

analyse_quiet <- c(
  "library", "require", "requireNamespace", "attachNamespace", "loadNamespace",
  "quote", "bquote", "substitute", "as.name", "as.symbol", "function"
)

analyse_reads <- function(expr, state) {
  if (missing(expr)) return(invisible())
  if (is.name(expr)) {
    name <- as.character(expr)
    if (nzchar(name) && !name %in% state$defines) state$references <- c(state$references, name)
  } else if (is.call(expr)) {
    operator <- if (is.name(expr[[1]])) as.character(expr[[1]]) else ""
    if (operator %in% c(analyse_quiet, "::", ":::")) return(invisible())
    if (operator %in% c("$", "@")) return(analyse_reads(expr[[2]], state))
    if (operator == "") analyse_reads(expr[[1]], state)
    if (operator %in% c("<-", "=", "<<-") && length(expr) == 3) return(analyse_reads(expr[[3]], state))
    for (argument in as.list(expr)[-1]) analyse_reads(argument, state)
  }
}

folder <- commandArgs(TRUE)[[1]]
source(file.path(folder, "json.R"))
input <- file("stdin", encoding = "UTF-8")
sources <- json_parse(paste(readLines(input, warn = FALSE), collapse = "\n"))
close(input)
cat(json_text(unname(lapply(as.list(sources), analyse_source))))
