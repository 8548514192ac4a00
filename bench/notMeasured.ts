// A figure that cannot be had here.

/** Not a failure: the reason stands in the place of the figure. */
export class NotMeasured extends Error {
  override readonly name = 'NotMeasured';
}
