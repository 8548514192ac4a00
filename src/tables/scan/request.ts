// What a scan asks for, checked and in one form: which columns, which rows, of which snapshot.
import { z } from 'zod';
import { canonicalJson, plainNumbers } from '../../artifacts/index.ts';
import { refusals } from '../../errors/index.ts';

export interface Filter {
  readonly column: string;
  readonly op: string;
  /** A scalar, numbers as they were sent. */
  readonly value: unknown;
}

export interface ScanRequest {
  /** Empty for all. */
  readonly columns: readonly string[];
  readonly filters: readonly Filter[];
  readonly snapshotId: string | null;
}

export const wholeTable: ScanRequest = { columns: [], filters: [], snapshotId: null };

const operators = ['=', '!=', '<', '<=', '>', '>='] as const;
const largestId = 2n ** 63n - 1n;
const maxFilters = 1000;
const maxColumns = 100_000;

const filter = z.object({ column: z.string(), op: z.enum(operators), value: z.unknown() });

const params = z.object({
  columns: z.array(z.string()).max(maxColumns).nullish(),
  filters: z.array(filter).max(maxFilters).nullish(),
  snapshot_id: z.unknown().optional(),
});

/** `sent` holds numbers as they stood in the request. */
export function readScanParams(sent: Readonly<Record<string, unknown>>): ScanRequest {
  const parsed = params.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refusals.scanParamsInvalid(`${issue?.path.join('.')}: ${issue?.message.replace('ExactNumber', 'number')}`);
  }
  const { columns, filters, snapshot_id: snapshot } = parsed.data;
  for (const [index, { value }] of (filters ?? []).entries()) checkValue(plainNumbers(value), index);
  return { columns: columns ?? [], filters: filters ?? [], snapshotId: snapshotIdOf(plainNumbers(snapshot)) };
}

function checkValue(value: unknown, index: number): void {
  const fits = ['string', 'boolean', 'number', 'bigint'].includes(typeof value);
  if (!fits || (typeof value === 'number' && !Number.isFinite(value)))
    throw refusals.scanParamsInvalid(`filters.${index}.value: must be a string, a number or true/false`);
}

function snapshotIdOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'bigint' || value > largestId || value < -largestId)
    throw refusals.scanParamsInvalid('snapshot_id: must be a 64-bit integer');
  return String(value);
}

/** Filters as text that keeps every number. */
export const filtersText = (filters: readonly Filter[]): string =>
  canonicalJson(filters.map(({ column, op, value }) => ({ column, op, value })));
