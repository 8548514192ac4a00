// Annotations (`# @name load`) stand out from ordinary comments: they are instructions, not remarks.
import { Decoration, type EditorView, MatchDecorator, ViewPlugin } from '@codemirror/view';

export const annotationLine = /^\s*(?:#|--)\s*@[a-zA-Z][\w-]*/;

const matcher = new MatchDecorator({
  regexp: /^[^\S\n]*(?:#|--)[^\S\n]*@[a-zA-Z][\w-]*.*$/gm,
  decoration: Decoration.mark({ class: 'tok-annotation' }),
});

export const annotationMarks = ViewPlugin.define(
  (view: EditorView) => ({
    marks: matcher.createDeco(view),
    update(update) {
      this.marks = matcher.updateDeco(update, this.marks);
    },
  }),
  { decorations: (plugin) => plugin.marks },
);
