/** What is kept beside a text: who it is by, and the model that they had it from. */
export const creditOf = (author: string, model: string | null): string =>
  model === null ? author : `${author} with ${model.replace(/[^\P{C}]/gu, '').trim() || 'a model'}`;
