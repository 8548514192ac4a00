# Data frames as folders of text, one file a column: how tables pass where R has no arrow. Numbers are written in hexadecimal,
# so that none changes on its way; a missing value is \N.

frame_has_arrow <- function() requireNamespace("arrow", quietly = TRUE)

frame_read <- function(folder) {
  about <- json_read(file.path(folder, "frame.json"))
  columns <- lapply(seq_along(about$columns), function(at) {
    column <- about$columns[[at]]
    text <- readLines(file.path(folder, paste0("c", at - 1L, ".txt")), encoding = "UTF-8", warn = FALSE)
    text[text == "\\N"] <- NA
    switch(column$type,
      logical = text == "1",
      integer = as.integer(text),
      double = as.double(text),
      date = as.Date(as.double(text), origin = "1970-01-01"),
      datetime = as.POSIXct(as.double(text), origin = "1970-01-01", tz = if (is.null(column$tz)) "UTC" else column$tz),
      factor = factor(frame_unescape(text)),
      frame_unescape(text)
    )
  })
  names(columns) <- vapply(about$columns, function(column) column$name, "")
  structure(columns, class = "data.frame", row.names = .set_row_names(about$rows))
}

frame_write <- function(frame, folder) {
  dir.create(folder)
  columns <- lapply(seq_along(frame), function(at) {
    column <- frame[[at]]
    kind <- frame_kind(column)
    text <- switch(kind,
      logical = ifelse(column, "1", "0"),
      integer = format(column, trim = TRUE, scientific = FALSE),
      double = sprintf("%a", as.double(column)),
      date = sprintf("%a", as.double(column)),
      datetime = sprintf("%a", as.double(column)),
      frame_escape(as.character(column))
    )
    # A number that is not one differs from one that is missing.
    missing <- if (kind == "double") is.na(column) & !is.nan(column) else is.na(column)
    text[missing] <- "\\N"
    writeLines(enc2utf8(text), file.path(folder, paste0("c", at - 1L, ".txt")), useBytes = TRUE)
    c(list(name = names(frame)[[at]], type = kind), if (kind == "datetime") list(tz = frame_zone(column)))
  })
  about <- list(rows = nrow(frame), columns = unname(columns))
  if (length(columns) == 0) about$columns <- list()
  writeLines(json_text(about), file.path(folder, "frame.json"), useBytes = TRUE)
}

frame_kind <- function(column) {
  if (inherits(column, "Date")) return("date")
  if (inherits(column, "POSIXct")) return("datetime")
  if (is.factor(column)) return("factor")
  if (is.logical(column)) return("logical")
  if (is.integer(column)) return("integer")
  if (is.numeric(column)) return("double")
  if (is.character(column)) return("string")
  stop("column of type ", class(column)[[1]], " cannot be given to other cells; turn it into numbers or text")
}

frame_zone <- function(column) {
  zone <- attr(column, "tzone")
  if (is.null(zone) || zone[[1]] == "") Sys.timezone() else zone[[1]]
}

frame_escape <- function(text) {
  text <- gsub("\\", "\\\\", text, fixed = TRUE)
  gsub("\r", "\\r", gsub("\n", "\\n", text, fixed = TRUE), fixed = TRUE)
}

frame_unescape <- function(text) {
  escaped <- which(grepl("\\", text, fixed = TRUE))
  text[escaped] <- vapply(text[escaped], function(one) {
    marks <- gsub("\\\\", "\001", one, fixed = TRUE)
    marks <- gsub("\\r", "\r", gsub("\\n", "\n", marks, fixed = TRUE), fixed = TRUE)
    gsub("\001", "\\", marks, fixed = TRUE)
  }, "", USE.NAMES = FALSE)
  text
}
