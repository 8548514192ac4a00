# JSON in base R: what the server and its cells say to each other. Missing values are null; NaN and Inf are written as Python
# writes them. Arrays of one kind of scalar are read as vectors.

json_text <- function(x) {
  if (is.null(x)) return("null")
  if (is.factor(x)) x <- as.character(x)
  if (inherits(x, c("Date", "POSIXt"))) x <- format(x, if (inherits(x, "Date")) "%Y-%m-%d" else "%Y-%m-%dT%H:%M:%OS6%z")
  if (is.list(x)) {
    parts <- vapply(x, json_text, "", USE.NAMES = FALSE)
    if (is.null(names(x))) return(paste0("[", paste(parts, collapse = ","), "]"))
    if (length(x) == 0) return("{}")
    return(paste0("{", paste0(json_string(names(x)), ":", parts, collapse = ","), "}"))
  }
  parts <- json_scalars(x)
  if (length(parts) == 1) parts else paste0("[", paste(parts, collapse = ","), "]")
}

json_scalars <- function(x) {
  if (is.character(x)) return(ifelse(is.na(x), "null", json_string(x)))
  if (is.logical(x)) return(ifelse(is.na(x), "null", ifelse(x, "true", "false")))
  if (is.integer(x)) return(ifelse(is.na(x), "null", format(x, trim = TRUE, scientific = FALSE)))
  if (is.numeric(x)) return(vapply(as.double(x), json_number, ""))
  stop("a value of type ", typeof(x), " has no JSON")
}

json_number <- function(x) {
  if (is.nan(x)) return("NaN")
  if (is.na(x)) return("null")
  if (is.infinite(x)) return(if (x > 0) "Infinity" else "-Infinity")
  if (x == round(x) && abs(x) < 1e15) return(format(x, scientific = FALSE, digits = 15, trim = TRUE))
  for (digits in 15:17) {
    text <- formatC(x, digits = digits, format = "g", width = -1)
    if (as.double(text) == x) break
  }
  text
}

json_string <- function(x) {
  x <- enc2utf8(as.character(x))
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  x <- gsub("\n", "\\n", x, fixed = TRUE)
  x <- gsub("\r", "\\r", x, fixed = TRUE)
  x <- gsub("\t", "\\t", x, fixed = TRUE)
  for (code in c(1:8, 11, 12, 14:31)) x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
  paste0("\"", x, "\"")
}

json_read <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  json_parse(text)
}

# A stack machine over tokens: documents of any size are cut by one regular expression.
json_parse <- function(text) {
  pattern <- "\"(?:[^\"\\\\]|\\\\.)*\"|-?(?:Infinity|[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|NaN|true|false|null|[][{}:,]"
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
  at <- 0L
  take <- function() tokens[[at <<- at + 1L]]
  value <- function(token) {
    if (token == "{") return(object())
    if (token == "[") return(array())
    switch(token,
      null = NULL, true = TRUE, false = FALSE, `NaN` = NaN, Infinity = Inf, `-Infinity` = -Inf,
      if (startsWith(token, "\"")) json_unquote(token) else json_numeral(token)
    )
  }
  object <- function() {
    found <- list()
    token <- take()
    while (token != "}") {
      if (token == ",") token <- take()
      name <- json_unquote(token)
      take()
      found[name] <- list(value(take()))
      token <- take()
    }
    if (length(found) == 0) setNames(list(), character()) else found
  }
  array <- function() {
    found <- list()
    token <- take()
    while (token != "]") {
      if (token == ",") token <- take()
      found[length(found) + 1L] <- list(value(token))
      token <- take()
    }
    json_simplify(found)
  }
  value(take())
}

json_simplify <- function(items) {
  if (length(items) == 0) return(items)
  present <- Filter(Negate(is.null), items)
  kinds <- unique(vapply(present, function(item) {
    if (is.list(item) || length(item) != 1) "other" else if (is.numeric(item)) "number" else typeof(item)
  }, ""))
  if (length(kinds) != 1 || kinds == "other") return(items)
  unlist(lapply(items, function(item) if (is.null(item)) NA else item))
}

json_numeral <- function(token) {
  number <- as.double(token)
  whole <- !grepl("[.eE]", token) && abs(number) <= .Machine$integer.max
  if (whole) as.integer(number) else number
}

json_unquote <- function(token) {
  text <- substr(token, 2L, nchar(token) - 1L)
  if (!grepl("\\", text, fixed = TRUE)) return(enc2utf8(text))
  text <- gsub("\\\\/", "/", text)
  # R's own parser reads the rest, but for halves of surrogate pairs, which it does not know.
  repeat {
    pair <- regmatches(text, regexpr("\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}", text))
    if (length(pair) == 0) break
    high <- strtoi(substr(pair, 3, 6), 16L)
    low <- strtoi(substr(pair, 9, 12), 16L)
    text <- sub(pair, intToUtf8((high - 0xd800L) * 0x400L + (low - 0xdc00L) + 0x10000L), text, fixed = TRUE)
  }
  enc2utf8(eval(parse(text = paste0("\"", gsub("\"", "\\\"", gsub("\\\"", "\"", text, fixed = TRUE), fixed = TRUE), "\""), encoding = "UTF-8")[[1]]))
}
