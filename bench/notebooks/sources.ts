// Sources of notebooks that are measured.

const cell = (index: number): string => (index === 0 ? 'x0 = 1' : `x${index} = x${index - 1} + 1`);

/** Each cell reads the one before. */
export const chain = (length: number): string[] => Array.from({ length }, (_, index) => cell(index));

/** Chains of ten beside each other, as a large notebook has its chapters. */
export const chapters = (length: number): string[] =>
  Array.from({ length }, (_, index) => (index % 10 === 0 ? `x${index} = ${index}` : cell(index)));
