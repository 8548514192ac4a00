# One run of one R cell: inputs in, statements evaluated one by one, values out, one result file. It starts in the notebook's
# folder, so that the notebook's own library is active, and runs in its work folder. It may wait for its order a long time;
# whatever a cell can see is the same as if it had not. All of it lies in an environment of its own: the global one is the cell's.
local({

# Compiling what runs a few times takes longer than running it: R does so for the cell alone.
compiling <- compiler::enableJIT(0L)
here <- environment()
harness_folder <- commandArgs(TRUE)[[1]]
for (part in c("json.R", "frames.R", "values.R")) sys.source(file.path(harness_folder, part), here)

orders <- file("stdin", "r")
job <- NULL
out <- NULL
cell <- new.env(parent = globalenv())

# The next order. There is none when nobody needs this process any more.
harness_order <- function() {
  line <- readLines(orders, 1L, encoding = "UTF-8", warn = FALSE)
  if (length(line) == 0) quit("no")
  json_parse(line)
}

# Says which libraries this process has looked at, and when those were last changed, to whoever holds the other end.
harness_ready <- function(libraries) {
  way <- file.path(dirname(tempdir()), "ready")
  told <- file(way, "w", raw = TRUE)
  writeLines(json_text(libraries), told)
  close(told)
  unlink(way)
}

harness_libraries <- function() {
  lapply(.libPaths(), function(folder) list(folder = folder, changed = as.double(file.mtime(folder))))
}

# Stands where the cell stands.
harness_enter <- function(place) {
  for (name in names(place$env)) do.call(Sys.setenv, setNames(list(place$env[[name]]), name))
  setwd(place$work_dir)
  options(device = harness_device, warn = 1)
}

harness_say <- function(result) {
  temporary <- file.path(out, "result.part")
  writeLines(json_text(result), temporary, useBytes = TRUE)
  file.rename(temporary, file.path(out, "result.json"))
}

harness_device <- function(...) {
  if (identical(getOption("svc.plot"), "svg")) {
    svg(file.path(out, "plot%03d.svg"), width = 800 / 96, height = 600 / 96, onefile = FALSE)
  } else {
    png(file.path(out, "plot%03d.png"), width = 800, height = 600, res = 96, type = "cairo")
  }
}

harness_run <- function(is_ahead) {
  # The packages that a cell begins with are attached before anything else, here as in a process that waited.
  if (!is_ahead) {
    harness_enter(job)
    statements <- lapply(job$attaching, function(name) call("library", as.name(name)))
    for (at in seq_along(statements)) eval(statements[[at]], cell)
  }
  statements <- parse(text = job$source, keep.source = TRUE)
  given <- NULL
  last <- NULL
  for (at in seq_along(statements)) {
    if (at <= length(job$attaching)) next
    if (is.null(given)) given <- harness_inputs()
    # Hands the frame over before the evaluation, so that tracebacks begin with the cell's own calls.
    value <- withVisible(eval(statements[[at]], cell))
    ends <- at == length(statements)
    if (ends && value$visible && is.data.frame(value$value)) last <- value$value
    else if (value$visible) print(value$value)
  }
  graphics.off()
  harness_collect(given, last)
}

harness_inputs <- function() {
  for (name in names(job$inputs)) assign(name, value_read(name, job$inputs[[name]]), envir = cell)
  as.list(cell, all.names = TRUE)
}

harness_collect <- function(given, last) {
  found <- sort(ls(cell))
  fresh <- Filter(function(name) {
    value <- get(name, envir = cell)
    if (is.function(value) && !name %in% job$wanted) return(FALSE)
    !name %in% names(given) || name %in% job$wanted || !identical(given[[name]], value)
  }, found)
  variables <- lapply(setNames(fresh, fresh), function(name) {
    value <- get(name, envir = cell)
    tryCatch(
      if (job$stores_all || name %in% job$wanted) value_store(value, value_stem(name), out) else value_describe(value),
      error = function(problem) list(content_type = "error", error = conditionMessage(problem), type = class(value)[[1]])
    )
  })
  pages <- sort(list.files(out, "^plot[0-9]+[.](png|svg)$"))
  displays <- lapply(pages, function(page) {
    list(content_type = if (endsWith(page, "svg")) "image/svg+xml" else "image/png", file = page, width = 800L, height = 600L)
  })
  if (!is.null(last)) displays <- c(displays, list(value_store(last, "shown", out)))
  list(
    error = NULL,
    variables = if (length(variables)) variables else setNames(list(), character()),
    displays = displays,
    drew = exists(".Random.seed", envir = globalenv(), inherits = FALSE)
  )
}

# The calls of the cell: what led to it and what was done about the error left out.
harness_trace <- function(calls) {
  texts <- vapply(calls, function(call) paste(deparse(call, nlines = 3L), collapse = "\n"), "")
  begin <- max(0L, which(startsWith(texts, "eval(statements[[at]], cell)")))
  if (begin == 0L) return(list())
  texts <- texts[seq_along(texts) > begin]
  as.list(unname(texts[!grepl("^(eval\\(|\\.handleSimpleError\\(|h\\(simpleError)", texts)]))
}

libraries <- harness_libraries()
first <- harness_order()
ahead <- first$ahead
if (!is.null(ahead)) {
  # What fails here fails in the cell, where it is told: this process is of no use.
  tryCatch({
    compiler::enableJIT(compiling)
    harness_enter(ahead)
    for (name in ahead$packages) eval(call("library", as.name(name)), cell)
    compiler::enableJIT(0L)
  }, error = function(problem) quit("no", status = 1L))
}
# While nobody waits there is time for it.
if (first$waits) for (name in ls(here)) if (is.function(here[[name]])) assign(name, compiler::cmpfun(here[[name]]), here)
harness_ready(libraries)
order_file <- harness_order()$job
close(orders)
job <- json_read(order_file)
out <- job$output_dir
# An order that still lies there was never begun.
unlink(order_file)
invisible(compiler::enableJIT(compiling))

calls <- NULL
invisible(harness_say(tryCatch(
  withCallingHandlers(harness_run(!is.null(ahead)), error = function(problem) calls <<- sys.calls()),
  error = function(problem) {
    list(
      error = list(type = class(problem)[[1]], message = conditionMessage(problem), calls = harness_trace(calls)),
      variables = setNames(list(), character()), displays = list()
    )
  }
)))

})
