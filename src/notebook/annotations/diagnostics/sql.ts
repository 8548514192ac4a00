// Checks of SQL cells: the connection, the query, the cache policy.
import { isIndirection } from '../../document/index.ts';
import { lineOf } from '../block.ts';
import { parseCache } from '../parse.ts';
import { tokensOf } from '../words.ts';
import { type Check, type Diagnostic, found, type Subject } from './types.ts';

export const checkSql: Check = (subject) => [...connection(subject), ...query(subject), ...cachePolicy(subject)];

function connection({ annotations: { sql }, block, notebook, context }: Subject): Diagnostic[] {
  const name = sql?.connection ?? null;
  const line = lineOf(block, 'sql');
  if (name === null) {
    return [found('error', 'sql_connection_missing', 'A SQL cell needs # @sql connection=<name>', line)];
  }
  const malformed = notebook.malformedConnections.find((one) => one.name === name);
  if (malformed !== undefined) {
    const message = `[connections.${name}] cannot be used: ${malformed.error}`;
    return [found('error', 'connection_malformed', message, line)];
  }
  const known = notebook.connections.find((one) => one.name === name);
  if (known === undefined) {
    const message = `Connection '${name}' is not declared; add a [connections.${name}] block`;
    return [found('warn', 'sql_connection_unknown', message, line)];
  }
  const drivers = [...context.sqlDrivers].sort();
  const unknownDriver = context.sqlDrivers.has(known.driver)
    ? []
    : [
        found(
          'error',
          'connection_driver_unknown',
          `Driver '${known.driver}' of connection '${name}' is not known; use one of ${drivers.join(', ')}`,
          line,
        ),
      ];
  const literals = Object.entries(known.auth)
    .filter(([, value]) => value !== '' && !isIndirection(value))
    .map(([field]) =>
      found(
        'warn',
        'connection_auth_literal_secret',
        `auth.${field} of connection '${name}' is written out; refer to a variable as \${NAME}`,
        line,
      ),
    );
  return [...unknownDriver, ...literals];
}

function query({ annotations, facts: { sql } }: Subject): Diagnostic[] {
  if (sql === undefined) return [];
  const diagnostics: Diagnostic[] = [];
  if (sql.parseError !== null) {
    diagnostics.push(
      found('warn', 'sql_parse_error', `The query cannot be parsed and will not run: ${sql.parseError}`),
    );
  }
  const isFingerprinted =
    (annotations.cache?.kind ?? 'fingerprint') === 'fingerprint' && annotations.sql?.write !== true;
  if (isFingerprinted && !annotations.nocache && sql.dynamicTables.length > 0) {
    const tables = sql.dynamicTables.join(', ');
    const message = `What ${tables} holds is seen when the query runs, so it runs every time. Add \`@cache\` to keep results`;
    diagnostics.push(found('warn', 'sql_dynamic_table', message));
  }
  if (sql.failure !== null) {
    diagnostics.push(found('warn', 'sql_analysis_failed', `The query could not be analysed: ${sql.failure}`));
  }
  return diagnostics;
}

function cachePolicy({ block }: Subject): Diagnostic[] {
  return block.directives.flatMap(({ name, value, line }) => {
    if (name !== 'cache' || parseCache(value) !== null) return [];
    if (tokensOf(value)[0]?.startsWith('ttl=')) {
      return [found('warn', 'cache_ttl_invalid', 'ttl= takes a whole number of seconds above zero', line)];
    }
    return [
      found(
        'warn',
        'cache_policy_unknown',
        '@cache takes fingerprint, forever, session, snapshot or ttl=<seconds>',
        line,
      ),
    ];
  });
}
