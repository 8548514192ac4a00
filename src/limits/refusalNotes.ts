// What the log says of those who are refused for asking too often: the first refusal, and some seconds later how many followed. A flood
// would otherwise push everything else out of the log, and cost more in lines than in answers.

export interface Refused {
  /** One line is kept open for each. */
  readonly who: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export type RefusalNotes = (refused: Refused) => void;

const gatheredMilliseconds = 10_000;
/** Of more at a time nothing is told: so many addresses are an attack, which metrics show. */
const mostAtOnce = 1_000;

/** `tell` is given the facts of a refusal and how many there were like it. */
export function createRefusalNotes(tell: (facts: Refused['facts'], times: number) => void): RefusalNotes {
  const open = new Map<string, { facts: Refused['facts']; more: number }>();
  return ({ who, facts }) => {
    const known = open.get(who);
    if (known !== undefined) {
      known.more += 1;
      known.facts = facts;
      return;
    }
    if (open.size >= mostAtOnce) return;
    const line = { facts, more: 0 };
    open.set(who, line);
    tell(facts, 1);
    setTimeout(() => {
      open.delete(who);
      if (line.more > 0) tell(line.facts, line.more);
    }, gatheredMilliseconds).unref();
  };
}
