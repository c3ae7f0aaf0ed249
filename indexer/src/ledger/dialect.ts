/** Detects a node's dialect from its schema and never from its address: nodes are upgraded in place. */
import { type Dialect, detectDocument, probeDocuments } from './documents.js';
import { type Ask, LedgerFailure } from './graphql.js';

interface Named {
  readonly name: string;
}
interface Detected {
  readonly event: { readonly fields: readonly Named[] | null } | null;
  readonly filter: { readonly inputFields: readonly Named[] | null } | null;
}

/** @throws LedgerFailure `retry` if the node does not answer now, `schema` if no dialect fits. */
export async function detectDialect(ask: Ask): Promise<Dialect> {
  let schema: Detected;
  try {
    schema = await ask<Detected>(detectDocument);
  } catch (error) {
    if (error instanceof LedgerFailure && error.kind === 'retry' && error.code !== 'UNKNOWN') throw error;
    return probeDialect(ask);
  }
  if (!schema.event?.fields) return probeDialect(ask);
  return dialectOf(
    schema.event.fields.map((field) => field.name),
    (schema.filter?.inputFields ?? []).map((field) => field.name),
  );
}

/**
 * @param eventFields names of the fields of type Event; @param filterFields names of the fields of input EventFilter
 * @throws LedgerFailure `schema` a node from before the two
 */
export function dialectOf(eventFields: readonly string[], filterFields: readonly string[]): Dialect {
  if (eventFields.includes('transaction') && filterFields.includes('afterCheckpoint')) return 'ga';
  if (eventFields.includes('transactionBlock') && eventFields.includes('json')) return 'flat';
  throw unknownDialect('its events name no transaction, or carry their payload elsewhere');
}

const unknownDialect = (reason: string) =>
  new LedgerFailure('schema', `the node speaks no known dialect: ${reason}`, 'GRAPHQL_VALIDATION_FAILED');

async function probeDialect(ask: Ask): Promise<Dialect> {
  let last: LedgerFailure | undefined;
  for (const [dialect, document] of probeDocuments) {
    try {
      await ask(document);
      return dialect;
    } catch (error) {
      if (!(error instanceof LedgerFailure)) throw error;
      if (error.kind === 'retry' || error.kind === 'smaller') throw error;
      last = error;
    }
  }
  throw unknownDialect(last?.message ?? '');
}
