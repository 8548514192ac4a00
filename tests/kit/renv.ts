// The real renv, with a repository of small packages made on the spot. renv is no package of every Debian, so `.ci/run` puts
// it into `.tools/renv`; elsewhere `R CMD INSTALL --library=.tools/renv` of its source does the same.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const library = fileURLToPath(new URL('../../.tools/renv', import.meta.url));

/** Packages in the form that `install.packages` takes; each has a function `answer`. */
const makeRepository = `
contrib <- commandArgs(TRUE)[1]
dir.create(contrib, recursive = TRUE)
contrib <- normalizePath(contrib)
setwd(tempdir())
for (name in c("jsonlite", "arrow", "tinyr")) {
  dir.create(file.path(name, "R"), recursive = TRUE)
  about <- c(paste("Package:", name), "Version: 1.0", "Title: Small", "Description: For tests.", "License: GPL-3")
  writeLines(c(about, "Author: x", "Maintainer: x <x@example.org>"), file.path(name, "DESCRIPTION"))
  writeLines("export(answer)", file.path(name, "NAMESPACE"))
  writeLines("answer <- function() 42", file.path(name, "R", "answer.R"))
  utils::tar(file.path(contrib, paste0(name, "_1.0.tar.gz")), name, compression = "gzip")
}
tools::write_PACKAGES(contrib, type = "source")
`;

/** Why tests with renv are left out on this machine, or false; CI leaves none out. */
export const withoutRenv: string | false =
  hasR() && fs.existsSync(path.join(library, 'renv/DESCRIPTION')) ? false : missing();

function missing(): string {
  if (process.env.SVC_TEST_ALL === '1') throw new Error('R or .tools/renv is missing');
  return 'R or renv is not installed';
}

/** What a server needs to use renv with a repository in `folder`. */
export function renvEnvironment(folder: string): Record<string, string> {
  const repository = path.join(folder, 'repository');
  execFileSync('Rscript', ['-e', makeRepository, path.join(repository, 'src/contrib')], { stdio: 'pipe' });
  const profile = path.join(folder, 'profile.R');
  fs.writeFileSync(profile, `options(repos = c(CRAN = "file://${repository}"))\n`);
  return { R_LIBS: library, R_PROFILE: profile };
}

export function hasR(): boolean {
  try {
    execFileSync('Rscript', ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
