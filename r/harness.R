# One run of one R cell: inputs in, statements evaluated one by one, values out, one result file. It starts in the notebook's
# folder, so that the notebook's own library is active, and runs in its work folder.

harness_folder <- commandArgs(TRUE)[[1]]
job_file <- commandArgs(TRUE)[[2]]
for (part in c("json.R", "frames.R", "values.R")) source(file.path(harness_folder, part))

job <- json_read(job_file)
out <- job$output_dir
cell <- new.env(parent = globalenv())

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

harness_run <- function() {
  for (name in names(job$env)) do.call(Sys.setenv, setNames(list(job$env[[name]]), name))
  setwd(job$work_dir)
  options(device = harness_device, warn = 1)
  for (name in names(job$inputs)) assign(name, value_read(name, job$inputs[[name]]), envir = cell)
  given <- as.list(cell, all.names = TRUE)
  statements <- parse(text = job$source, keep.source = TRUE)
  last <- NULL
  for (at in seq_along(statements)) {
    # Hands the frame over before the evaluation, so that tracebacks begin with the cell's own calls.
    value <- withVisible(eval(statements[[at]], cell))
    ends <- at == length(statements)
    if (ends && value$visible && is.data.frame(value$value)) last <- value$value
    else if (value$visible) print(value$value)
  }
  graphics.off()
  harness_collect(given, last)
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
  list(error = NULL, variables = if (length(variables)) variables else setNames(list(), character()), displays = displays)
}

# The calls of the cell: what led to it and what was done about the error left out.
harness_trace <- function(calls) {
  texts <- vapply(calls, function(call) paste(deparse(call, nlines = 3L), collapse = "\n"), "")
  begin <- max(0L, which(startsWith(texts, "eval(statements[[at]], cell)")))
  texts <- texts[seq_along(texts) > begin]
  as.list(unname(texts[!grepl("^(eval\\(|\\.handleSimpleError\\(|h\\(simpleError)", texts)]))
}

calls <- NULL
invisible(harness_say(tryCatch(
  withCallingHandlers(harness_run(), error = function(problem) calls <<- sys.calls()),
  error = function(problem) {
    list(
      error = list(type = class(problem)[[1]], message = conditionMessage(problem), calls = harness_trace(calls)),
      variables = setNames(list(), character()), displays = list()
    )
  }
)))
