// A package named renv for tests. The real one comes from CRAN, which tests do not reach; this one has the functions that we
// call, with their effects on the project directory, and is installed by the real R.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const code = `
library_of <- function(project) file.path(project, "renv", "library", paste0("R-", getRversion()), R.version$platform)
consent <- function(provided = TRUE) invisible(provided)
load <- function(project = ".") {
  dir.create(library_of(project), recursive = TRUE, showWarnings = FALSE)
  invisible(project)
}
init <- function(project, bare, restart) {
  load(project)
  writeLines('# activates', file.path(project, "renv", "activate.R"))
  writeLines('source("renv/activate.R")', file.path(project, ".Rprofile"))
}
install <- function(packages, project, prompt) for (name in packages) {
  if (name == "nosuch") stop("package 'nosuch' is not available", call. = FALSE)
  message("installing ", name)
  place <- file.path(library_of(project), name)
  dir.create(place, showWarnings = FALSE)
  writeLines(c(paste0("Package: ", name), "Version: 1.0"), file.path(place, "DESCRIPTION"))
}
snapshot <- function(project, type, prompt) {
  names <- sort(list.files(library_of(project)))
  entries <- paste0('"', names, '": {"Package": "', names, '", "Version": "1.0"}', collapse = ", ")
  writeLines(paste0('{"R": {"Version": "', getRversion(), '"}, "Packages": {', entries, '}}'), file.path(project, "renv.lock"))
}
restore <- function(project, prompt) {
  text <- paste(readLines(file.path(project, "renv.lock")), collapse = "")
  names <- regmatches(text, gregexpr('"Package": "[^"]+"', text))[[1]]
  install(sub('"Package": "([^"]+)"', "\\\\1", names), project, prompt)
}
`;

/** Gives the folder to put into \`R_LIBS\`. */
export function installRenv(folder: string): string {
  const source = path.join(folder, 'renv-source');
  const library = path.join(folder, 'r-library');
  fs.mkdirSync(path.join(source, 'R'), { recursive: true });
  fs.mkdirSync(library, { recursive: true });
  fs.writeFileSync(path.join(source, 'R/renv.R'), code);
  fs.writeFileSync(path.join(source, 'NAMESPACE'), 'export(consent, init, install, load, restore, snapshot)\n');
  fs.writeFileSync(
    path.join(source, 'DESCRIPTION'),
    'Package: renv\nVersion: 1.0\nTitle: Stand-in\nDescription: For tests.\nLicense: none\nAuthor: x\nMaintainer: x <x@example.org>\n',
  );
  execFileSync('R', ['CMD', 'INSTALL', '--no-docs', `--library=${library}`, source], { stdio: 'pipe' });
  return library;
}

export function hasR(): boolean {
  try {
    execFileSync('Rscript', ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
