/** How many seconds somebody who is busy asks to wait: said as a number or as a moment (RFC 9110); undefined where it is neither. */
export function retryAfterSeconds(said: string | undefined, now = Date.now()): number | undefined {
  if (said === undefined) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(said)) return Number(said);
  const moment = Date.parse(said);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - now) / 1000));
}
