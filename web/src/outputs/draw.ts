// What every library that draws charts is to this app.

/** Draws into the place; gives what takes it away again. */
export type Draw = (place: HTMLElement, spec: object, isDark: boolean) => Promise<() => void>;
