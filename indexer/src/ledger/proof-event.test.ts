import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressOf, bcsOf, digestOf, type Field, jsonOf, layoutOf } from '../../simulator/encode.js';
import { BcsUnreadable, decodeBcs, isLayout, type Layout } from './bcs.js';
import { decodeProofEvent, type LedgerEvent, packageOfType } from './proof-event.js';

const anchorPackage = addressOf('package');
const sender = addressOf('sender');
const type = `${anchorPackage}::anchor::ProofAnchored`;
const root = Uint8Array.from({ length: 32 }, (_, index) => (index * 7) % 256);
const rootHex = Buffer.from(root).toString('hex');
const rootBase64 = Buffer.from(root).toString('base64');
/** The same bytes with other bits in the last digit, which Base64 does not use. */
const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const respelledBase64 = `${rootBase64.slice(0, 42)}${base64Digits[base64Digits.indexOf(rootBase64[42]!) + 1]}=`;
const expectations = { packages: new Set([anchorPackage]), senders: new Set<string>() };

const text = (name: string, value: string): Field => ({ name, type: 'string', text: value });
const bytes = (name: string, value: Uint8Array): Field => ({ name, type: 'bytes', bytes: value });
const proofFields = (overrides: Partial<Record<'token' | 'period', Field>> & { root?: Field } = {}): Field[] => [
  overrides.token ?? text('company_token', 'ct_1'),
  overrides.period ?? text('period', '2026-10'),
  overrides.root ?? bytes('merkle_root', root),
];

const eventOf = (fields: readonly Field[], more: Partial<LedgerEvent> = {}): LedgerEvent => ({
  tx: digestOf('tx'),
  sequence: 0,
  checkpoint: 7,
  ledgerTime: 1_000,
  sender,
  type,
  json: jsonOf(fields, true),
  bcs: bcsOf(fields),
  ...more,
});
const layout = (fields: readonly Field[]) => layoutOf(type, fields) as Layout;
const decodeFields = (fields: readonly Field[], more: Partial<LedgerEvent> = {}) =>
  decodeProofEvent(eventOf(fields, more), layout(fields), expectations);
const readJson = (json: unknown, more: Partial<LedgerEvent> = {}) =>
  decodeProofEvent(eventOf([], { json, bcs: null, ...more }), undefined, expectations);
const json = (overrides: object = {}) => ({
  company_token: 'ct_1',
  period: '2026-10',
  merkle_root: rootBase64,
  ...overrides,
});

describe('a proof', () => {
  it('a proof is read from the bytes by the layout of its type', () => {
    const result = decodeFields(proofFields(), { json: null });
    expect(result).toMatchObject({
      kind: 'proof',
      proof: {
        companyToken: 'ct_1',
        period: '2026-10',
        merkleRoot: rootHex,
        sender,
        package: anchorPackage,
        checkpoint: 7,
        eventSequence: 0,
        ledgerTime: 1_000,
      },
    });
  });

  it.each([
    ['Base64', rootBase64],
    ['Base64 without padding', rootBase64.slice(0, 43)],
    ['Base64 for URLs', rootBase64.replaceAll('+', '-').replaceAll('/', '_')],
    ['numbers', [...root]],
    ['hex', rootHex],
    ['hex with 0x and capitals', `0x${rootHex.toUpperCase()}`],
  ])('a proof is read from JSON whose root is written as %s', (_, merkle_root) => {
    expect(readJson(json({ merkle_root }))).toMatchObject({ kind: 'proof', proof: { merkleRoot: rootHex } });
  });

  it.each([
    [{ merkleRoot: rootHex, companyToken: 'ct_1', period: 'p' }],
    [{ root: rootHex, company: 'ct_1', period: 'p' }],
    [{ root: rootHex, token: 'ct_1', period: 'p' }],
  ])('a proof is recognised by other usual names of its fields: %j', (value) => {
    expect(readJson(value)).toMatchObject({
      kind: 'proof',
      proof: { merkleRoot: rootHex, companyToken: 'ct_1', period: 'p' },
    });
  });

  it('a proof may spell token and period as bytes', () => {
    const fields = proofFields({
      token: bytes('company_token', Buffer.from('ct_ä')),
      period: bytes('period', Buffer.from('2026-W44')),
    });
    expect(decodeFields(fields)).toMatchObject({ kind: 'proof', proof: { companyToken: 'ct_ä', period: '2026-W44' } });
    expect(readJson(json({ company_token: [...Buffer.from('ct_ä')] }))).toMatchObject({
      proof: { companyToken: 'ct_ä' },
    });
  });

  it('a proof takes a string that looks like Base64 for what the layout says it is', () => {
    const fields = proofFields({ token: text('company_token', Buffer.from('ct_1').toString('base64')) });
    expect(decodeFields(fields)).toMatchObject({ proof: { companyToken: Buffer.from('ct_1').toString('base64') } });
  });

  it('a proof comes from the bytes where the JSON beside them says something else, and says so', () => {
    expect(decodeFields(proofFields(), { json: json({ merkle_root: 'ff'.repeat(32) }) })).toMatchObject({
      kind: 'proof',
      jsonDiffers: true,
      proof: { merkleRoot: rootHex },
    });
    expect(decodeFields(proofFields())).toMatchObject({ jsonDiffers: false });
  });

  it('never comes from the JSON where the bytes do not fit the layout', () => {
    for (const bcs of [Buffer.from('junk'), Buffer.alloc(0), null])
      expect(decodeFields(proofFields(), { bcs })).toEqual({ kind: 'rejected', reason: 'payload_unreadable' });
  });

  it('a proof may repeat the sender, in any spelling', () => {
    expect(decodeFields([...proofFields(), { name: 'sender', type: 'address', address: sender }])).toMatchObject({
      kind: 'proof',
    });
    expect(readJson(json({ sender: sender.toUpperCase().replace('0X', '0x') }))).toMatchObject({ kind: 'proof' });
  });
});

describe('an event is no proof', () => {
  it.each([
    [
      'whose type another package defined',
      proofFields(),
      { type: `${addressOf('other')}::anchor::ProofAnchored` },
      'foreign_package',
    ],
    ['whose type is no type', proofFields(), { type: 'ProofAnchored' }, 'foreign_package'],
    ['without a sender', proofFields(), { sender: null }, 'sender_missing'],
    [
      'whose payload names another sender',
      [...proofFields(), { name: 'sender', type: 'address', address: addressOf('other') } as Field],
      {},
      'sender_differs',
    ],
    ['with a root of 31 bytes', proofFields({ root: bytes('merkle_root', root.slice(1)) }), {}, 'root_malformed'],
    [
      'with a root of 33 bytes',
      proofFields({ root: bytes('merkle_root', Uint8Array.of(...root, 1)) }),
      {},
      'root_malformed',
    ],
    ['with an empty root', proofFields({ root: bytes('merkle_root', new Uint8Array(0)) }), {}, 'root_malformed'],
    [
      'with a root in another spelling of Base64',
      proofFields({ root: text('merkle_root', respelledBase64) }),
      {},
      'root_malformed',
    ],
    ['with a root of words', proofFields({ root: text('merkle_root', 'nothing') }), {}, 'root_malformed'],
    [
      'with a root that is a number',
      proofFields({ root: { name: 'merkle_root', type: 'u64', number: 1n } }),
      {},
      'root_malformed',
    ],
    ['without a token', proofFields().slice(1), {}, 'token_malformed'],
    ['with an empty token', proofFields({ token: text('company_token', '') }), {}, 'token_malformed'],
    [
      'with a token of 129 characters',
      proofFields({ token: text('company_token', 'x'.repeat(129)) }),
      {},
      'token_malformed',
    ],
    ['with a token that rings', proofFields({ token: text('company_token', 'ct\u0007') }), {}, 'token_malformed'],
    ['with a token of two lines', proofFields({ token: text('company_token', 'a\nb') }), {}, 'token_malformed'],
    [
      'with a token that turns the writing around',
      proofFields({ token: text('company_token', 'a\u202eb') }),
      {},
      'token_malformed',
    ],
    [
      'with a token whose bytes are no text',
      proofFields({ token: bytes('company_token', Uint8Array.of(0xff, 0xfe)) }),
      {},
      'token_malformed',
    ],
    ['with a period of 33 characters', proofFields({ period: text('period', '2'.repeat(33)) }), {}, 'period_malformed'],
    ['of another kind in the same package', [{ name: 'fee', type: 'u64', number: 5n } as Field], {}, 'not_a_proof'],
  ] as [string, Field[], Partial<LedgerEvent>, string][])('an event %s is no proof', (_, fields, more, reason) => {
    expect(decodeFields(fields, more)).toEqual({ kind: 'rejected', reason });
  });

  it('from a sender that is not indexed', () => {
    const fields = proofFields();
    expect(
      decodeProofEvent(eventOf(fields), layout(fields), { ...expectations, senders: new Set([addressOf('other')]) }),
    ).toEqual({ kind: 'rejected', reason: 'foreign_sender' });
  });

  it.each([null, undefined, 1, 'text', [], [1]])('whose payload is %j', (payload) => {
    expect(readJson(payload)).toEqual({ kind: 'rejected', reason: 'payload_unreadable' });
  });

  it('an unreadable payload is no proof and never an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.uint8Array({ maxLength: 200 }), (payload, junk) => {
        const result = decodeProofEvent(eventOf([], { json: payload, bcs: junk }), layout(proofFields()), expectations);
        expect(['proof', 'rejected']).toContain(result.kind);
      }),
      { numRuns: 500 },
    );
  });

  it('although it has a field called __proto__', () => {
    expect(readJson(JSON.parse('{"__proto__":{"merkle_root":"x"},"company_token":"a"}'))).toEqual({
      kind: 'rejected',
      reason: 'root_malformed',
    });
  });
});

describe('the limits of a token', () => {
  it('a token has at most 128 characters, however many bytes those take', () => {
    expect(decodeFields(proofFields({ token: text('company_token', '\u{1F600}'.repeat(128)) }))).toMatchObject({
      kind: 'proof',
    });
    expect(decodeFields(proofFields({ token: text('company_token', '\u{1F600}'.repeat(129)) }))).toMatchObject({
      kind: 'rejected',
    });
  });
});

describe('BCS', () => {
  it('the BCS reader reads what the other side wrote, with any fields', () => {
    const field = fc.oneof(
      fc.record({ type: fc.constant('string' as const), text: fc.string({ unit: 'binary' }) }),
      fc.record({ type: fc.constant('bytes' as const), bytes: fc.uint8Array({ maxLength: 300 }) }),
      fc.record({ type: fc.constant('u64' as const), number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
      fc.record({ type: fc.constant('address' as const), address: fc.constant(sender) }),
    );
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), (values) => {
        const fields = values.map((value, index) => ({ ...value, name: `f${index}` })) as Field[];
        const value = decodeBcs(bcsOf(fields), layoutOf('0x1::a::B', fields) as Layout);
        if (value.kind !== 'struct') throw new Error('not a struct');
        fields.forEach((field) => {
          const decodedField = value.fields[field.name]!;
          if (field.type === 'string') expect(decodedField).toEqual({ kind: 'text', text: field.text });
          if (field.type === 'bytes')
            expect(Buffer.from((decodedField as { bytes: Uint8Array }).bytes)).toEqual(Buffer.from(field.bytes));
          if (field.type === 'u64') expect(decodedField).toEqual({ kind: 'number', number: field.number });
          if (field.type === 'address') expect(decodedField).toEqual({ kind: 'address', address: sender });
        });
      }),
    );
  });
  it.each([
    ['bytes left over', [1, 65, 0], { vector: 'u8' }],
    ['bytes missing', [2, 65], { vector: 'u8' }],
    ['a length in a longer form than needed', [0x81, 0x00, 65], { vector: 'u8' }],
    ['a length beyond 32 bits', [255, 255, 255, 255, 255, 1], { vector: 'u8' }],
    ['a bool of 2', [2], 'bool'],
    ['an unknown layout', [1], 'u7'],
    ['an enum', [1], { enum: [] }],
    [
      'a string that is no UTF-8',
      [1, 255],
      { struct: { type: `0x${'1'.padStart(64, '0')}::string::String`, fields: [] } },
    ],
    ['a huge vector of structs', [255, 255, 255, 7], { vector: 'bool' }],
  ] as [string, number[], Layout][])('the BCS reader refuses %s', (_, bytes, form) => {
    expect(() => decodeBcs(Uint8Array.from(bytes), form)).toThrow(BcsUnreadable);
  });
  it('the BCS reader accepts only what has the shape of a layout', () => {
    for (const value of [
      null,
      1,
      [],
      {},
      { vector: 1 },
      { struct: { type: 1, fields: [] } },
      { struct: { type: 'x', fields: [{ name: 1, value: 'u8' }] } },
    ])
      expect(isLayout(value)).toBe(false);
    expect(isLayout(layout(proofFields()))).toBe(true);
  });
});

describe('the package of a type', () => {
  it('the package of a type is found in generic types and short spellings', () => {
    expect(packageOfType('0x2::coin::Coin<0x3::a::B>')).toBe(`0x${'2'.padStart(64, '0')}`);
    expect(packageOfType('vector<0x2::a::B>')).toBeUndefined();
  });
});
