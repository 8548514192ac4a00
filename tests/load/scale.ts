// How much of everything a load has.

export interface Scale {
  readonly notebooks: number;
  /** Of all notebooks together. */
  readonly sockets: number;
  /** Cells that run at a time, each in a notebook of its own. */
  readonly cells: number;
  readonly scanClients: number;
  readonly uploaders: number;
  /** Streams that are read slowly; as many sockets are not read at all. */
  readonly slowReaders: number;
  /** Sockets that go and come again at one moment, every few seconds. */
  readonly storm: number;
  /** Requests that the flooding tenant sends in a second, whatever it is told: several times what one client may. */
  readonly floodPerSecond: number;
}

export const fullScale: Scale = {
  notebooks: 200,
  sockets: 1000,
  cells: 50,
  scanClients: 100,
  uploaders: 4,
  slowReaders: 10,
  storm: 250,
  floodPerSecond: 400,
};

/** What two cores do beside a whole test run, within half a minute. */
export const smallScale: Scale = {
  notebooks: 12,
  sockets: 60,
  cells: 4,
  scanClients: 12,
  uploaders: 1,
  slowReaders: 2,
  storm: 20,
  floodPerSecond: 300,
};

/** How the minutes are used: what comes before `warmUp` is over is not measured. */
export interface Timing {
  readonly warmUpSeconds: number;
  readonly measuredSeconds: number;
  /** The flood comes and goes this often. */
  readonly floodSeconds: number;
  readonly stormSeconds: number;
}

export const timingOf = (minutes: number): Timing => ({
  warmUpSeconds: minutes * 60 * 0.25,
  measuredSeconds: minutes * 60 * 0.75,
  floodSeconds: Math.min(10, (minutes * 60 * 0.75) / 4),
  stormSeconds: Math.min(15, minutes * 12),
});
