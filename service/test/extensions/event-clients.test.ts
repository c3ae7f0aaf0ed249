/**
 * What client generators make of the document must read a page with an event of a later version: a validator by Ajv, a
 * parser by Zod, and the types of openapi-typescript (`type-safety.ts`).
 */
import { formats } from '@clockproof/platform/http/formats';
import { describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import { z } from 'zod';
import { eventTypes } from '../../src/generated/contract.js';
import { document } from '../../src/generated/service-document.js';
import { eventFault } from '../event-schema.js';

interface Schemas {
  readonly [name: string]: { readonly examples?: readonly unknown[] };
}
interface Source {
  readonly components: { readonly schemas: Schemas };
  readonly paths: {
    readonly '/api/v1/events': {
      readonly get: {
        readonly responses: {
          readonly 200: {
            readonly content: {
              readonly 'application/json': { readonly examples: { readonly page: { readonly value: Page } } };
            };
          };
        };
      };
    };
  };
}
interface Page {
  readonly data: readonly { readonly type: string; readonly [member: string]: unknown }[];
}

const source = document as Source;
const schemas = JSON.parse(
  JSON.stringify(source.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
) as Schemas;
const list = { ...schemas['EventList'], $defs: schemas };

const page = source.paths['/api/v1/events'].get.responses[200].content['application/json'].examples.page.value;
const laterEvent = {
  id: 'evt_3f9a7c210000000a212000',
  type: 'shift.published',
  timestamp: '2026-11-23T08:16:00Z',
  sequence: 169_943_040,
  epoch: '3f9a7c21',
  company_id: 1,
  data: { id: 7, people: [1001, 1002] },
};
const mixedPage = { ...page, data: [...page.data, laterEvent] };
const { sequence: _, ...unplacedEvent } = laterEvent;
const [clockIn, approval] = page.data as unknown as readonly [
  { readonly data: { readonly time_entry: object } },
  { readonly data: object },
];
const kiosk = { source: { kind: 'kiosk', id: 'ksk_1A', name: 'Tor 1' }, proof: 'passkey' };
/** Known events with values of a later version, where they may grow. */
const grownPage = {
  ...page,
  data: [
    { ...clockIn, data: { ...clockIn.data, time_entry: { ...clockIn.data.time_entry, ...kiosk } } },
    { ...approval, data: { ...approval.data, created_by: { kind: 'roster', name: 'Schichtplan' } } },
  ],
};

const ajv = new Ajv2020.default({ strict: false, formats });
const isList = ajv.compile(list);
const parser = z.fromJSONSchema(list as unknown as Parameters<typeof z.fromJSONSchema>[0]);
const clients: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['Ajv', (value) => isList(value)],
  ['Zod', (value) => parser.safeParse(value).success],
];

describe.each(clients)('a client that reads events by %s', (_name, accepts) => {
  it('a client accepts the types of this version', () => expect(accepts(page)).toBe(true));
  it('a client accepts a page with a type of a later version', () => expect(accepts(mixedPage)).toBe(true));
  it('a client accepts values of a later version where they may grow', () => expect(accepts(grownPage)).toBe(true));
  it('a client rejects anything that is no event', () =>
    expect(accepts({ ...page, data: [unplacedEvent] })).toBe(false));
});

it('a parser keeps what an event of a later version holds', () => {
  expect((parser.parse(mixedPage) as Page).data.at(-1)).toEqual(laterEvent);
});

it('a parser keeps values of a later version', () => {
  expect(parser.parse(grownPage)).toEqual(grownPage);
});

/** `Schema.member` of every closed enumeration below a node. */
function closedEnumsIn(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'enum') return [path];
    const innerPath = ['properties', 'items', 'allOf', 'anyOf', 'oneOf', '0', '1'].includes(key)
      ? path
      : `${path}.${key}`;
    return closedEnumsIn(value, innerPath);
  });
}

it('closed schemas are a promise for all of version 1', () => {
  const closedEnums = Object.entries(source.components.schemas).flatMap(([name, schema]) =>
    closedEnumsIn(schema, name),
  );
  // `EventType` names the types of this version; events themselves may have others (`OtherEvent`).
  const requests = [
    'AbsenceRequest.half_day',
    'AnchorReport.checks.verdict',
    'CardSessionRequest.action',
    'TokenRequest.grant_type',
  ];
  expect(closedEnums.filter((name) => !requests.includes(name)).sort()).toEqual([
    'CardAnswer.result',
    'CardAnswer.state',
    'ClockState.state',
    'EventType',
    'Leave.half_day',
    'Leave.status',
    'ProofFile.format',
    'Stamp.action',
    'TerminalAction',
    'TerminalOutcome.result',
    'TerminalStamp.state',
    'TimeEntry.status',
    'TokenAnswer.token_type',
  ]);
});

describe('an event of this version', () => {
  it('an event of this version is validated against the schema of its type', () => {
    expect(page.data.map(eventFault)).toEqual([undefined, undefined]);
    const [clockIn, approval] = page.data;
    expect(eventFault(grownPage.data[0])).toMatch(/kind/);
    expect(eventFault(grownPage.data[1])).toMatch(/created_by/);
    expect(eventFault({ ...clockIn, data: {} })).toMatch(/evt_3f9a7c210000000a203000 clock\.in: .*clock_state/);
    expect(eventFault({ ...approval, type: 'leave.changed' })).toMatch(/changed/);
    expect(eventFault({ ...approval, type: 'leave.lost' })).toMatch(/no type of this version/);
    expect(eventFault({ ...approval, type: eventTypes.at(-1) })).toMatch(/extension/);
  });
});
