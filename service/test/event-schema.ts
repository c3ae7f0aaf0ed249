/** Events against the contract, each against the schema of its type. Clients also accept types they do not know. */
import type { Reader } from '@clockproof/platform/database/database';
import { formats } from '@clockproof/platform/http/formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { document } from '../src/generated/service-document.js';
import type { Tables } from '../src/generated/tables.js';
import { eventText } from '../src/store/events.js';

interface Contract {
  readonly components: {
    readonly schemas: { readonly KnownEvent: { readonly oneOf: readonly { readonly $ref: string }[] } } & {
      readonly [name: string]: { readonly properties: { readonly type: { readonly const: string } } };
    };
  };
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, formats })
  .addKeyword({
    keyword: 'x-extensible-enum',
    type: 'string',
    validate: (values: readonly unknown[], value: string) => values.includes(value),
  })
  .addSchema(document, 'contract');
const { schemas } = (document as Contract).components;
/** The schemas by type of event. */
const events = new Map(
  schemas.KnownEvent.oneOf.map(({ $ref }): [string, string] => {
    const { type } = schemas[$ref.split('/').at(-1)!]!.properties;
    return [type.const, `contract${$ref}`];
  }),
);

/** The fault of an event of this version; undefined if there is none. */
export function eventFault(event: unknown): string | undefined {
  const { id, type } = event as { readonly id?: string; readonly type: string };
  const schema = events.get(type);
  if (schema === undefined) return `${id} is of no type of this version: ${type}`;
  // Compiled when it is first needed.
  const validate = ajv.getSchema(schema)!;
  if (validate(event)) return undefined;
  return `${id} ${type}: ${validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')}`;
}

/** The faults of the events stored in a database: each has to fit the contract, and its row. */
export async function storedEventFaults(reader: Reader): Promise<string[]> {
  const rows = await reader.all<Tables['events']>('SELECT * FROM events ORDER BY sequence');
  return rows.flatMap((row) => {
    const event = JSON.parse(eventText(row)) as Record<string, unknown>;
    const isDifferent = (event['company_id'] ?? 0) !== row.company_id;
    return eventFault(event) ?? (isDifferent ? `${row.sequence} differs from its row` : []);
  });
}
