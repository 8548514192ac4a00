import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withoutCommentLines } from './rComments.ts';

it('lines of comments are no part of an R source, and lines of texts are', () => {
  const same = (source: string): void => assert.equal(withoutCommentLines(source), source);
  assert.equal(withoutCommentLines("# @name a\nx <- 1 # it's\n  # \"more\ny <- 'b'"), "\nx <- 1 # it's\n\ny <- 'b'");
  same('x <- "a\n# b\nc"');
  same("x <- 'a \\' \" \n# b\nc'");
  same('x <- r"--(a " )- )"\n# b\n)--"');
  same('`odd\n# name` <- 1');
  assert.equal(withoutCommentLines('x <- r"(a")\n# b\ny <- R\'[\n# c\n]\''), 'x <- r"(a")\n\ny <- R\'[\n# c\n]\'');
});
