# Values between R and other cells: tables, JSON, and what only R reads.

value_read <- function(name, spec) {
  switch(spec$content_type,
    `arrow/ipc` = if (is.null(spec$frame)) as.data.frame(arrow::read_ipc_stream(spec$file)) else frame_read(spec$frame),
    `json/object` = json_read(spec$file),
    `application/x-r-rds` = readRDS(spec$file),
    `file/path` = spec$file,
    `sweep/dict` = lapply(spec$variants, function(variant) value_read(name, variant)),
    stop(
      "The input '", name, "' is of type ", spec$content_type, ", which R cannot read. ",
      "Give it to R as a data frame or as plain lists, numbers and text.", call. = FALSE
    )
  )
}

value_stem <- function(name) gsub("[^A-Za-z0-9]", "_", name)

value_is_plain <- function(value) {
  if (is.null(value)) return(TRUE)
  if (is.list(value)) return(is.null(attr(value, "class")) && all(vapply(value, value_is_plain, NA)))
  is.atomic(value) && is.null(dim(value)) && !is.complex(value) && !is.raw(value)
}

value_store <- function(value, stem, folder) {
  if (is.function(value)) stop("functions cannot be given to other cells; define it in the cell that uses it")
  if (is.data.frame(value)) return(value_store_frame(value, stem, folder))
  if (value_is_plain(value)) {
    file <- paste0(stem, ".json")
    writeLines(json_text(value), file.path(folder, file), sep = "", useBytes = TRUE)
    return(list(content_type = "json/object", file = file, preview = if (length(value) <= 200) list(value) else NULL))
  }
  file <- paste0(stem, ".rds")
  saveRDS(value, file.path(folder, file))
  list(content_type = "application/x-r-rds", file = file, type = class(value)[[1]], text = value_text(value))
}

value_store_frame <- function(frame, stem, folder) {
  about <- list(content_type = "arrow/ipc", rows = nrow(frame), columns = as.list(names(frame)))
  if (frame_has_arrow()) {
    file <- paste0(stem, ".arrow")
    arrow::write_ipc_stream(frame, file.path(folder, file))
    return(c(about, list(file = file)))
  }
  frame_write(frame, file.path(folder, paste0(stem, ".frame")))
  c(about, list(frame = paste0(stem, ".frame")))
}

value_describe <- function(value) {
  if (is.data.frame(value)) return(list(content_type = "arrow/ipc", rows = nrow(value), columns = as.list(names(value))))
  if (value_is_plain(value) && length(value) <= 200) return(list(content_type = "json/object", preview = list(value)))
  list(content_type = "application/x-r-rds", type = class(value)[[1]], text = value_text(value))
}

value_text <- function(value) paste(utils::head(utils::capture.output(print(value)), 20), collapse = "\n")
