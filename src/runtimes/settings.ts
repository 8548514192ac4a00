// Settings that cells of a notebook share in Jupyter (options of libraries, seeds, the folder), as a cell's process saw them.

export interface Setting {
  readonly digest: string;
  /** For the process that sets it again. */
  readonly value: string;
}

/** By name: `pandas`, `numpy.random`, `folder`. */
export interface RunSettings {
  /** Settings that could have mattered to the run, as cells above had made them; null where none had. */
  readonly used: Readonly<Record<string, string | null>>;
  /** What the run made of settings, for the cells below. */
  readonly made: Readonly<Record<string, Setting>>;
}
