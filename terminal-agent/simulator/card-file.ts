import { z } from 'zod';
import type { CardKey } from './authentication.js';
import { fromHex, toHex } from './bytes.js';
import { type DesfireGeneration, factoryDesfire, type SimulatedDesfire, simulateDesfire } from './desfire.js';
import type { RandomBytes } from './native-card.js';
import { factoryNtag424, type SimulatedNtag424, simulateNtag424 } from './ntag424.js';

export type CardFamily = `desfire-${DesfireGeneration}` | 'ntag424';
export const cardFamilies = [
  'desfire-ev1',
  'desfire-ev2',
  'desfire-ev3',
  'ntag424',
] as const satisfies readonly CardFamily[];

/** A card and the family it is of; only the family knows the shape of the memory. */
export type FiledCard =
  | ({ readonly family: 'ntag424' } & SimulatedNtag424)
  | ({ readonly family: `desfire-${DesfireGeneration}` } & SimulatedDesfire);

const bytes = (length: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * length}}$`), `must be ${length} bytes in lower-case hexadecimal`);
const byte = z.int().min(0).max(255);
const count = z.int().min(0);
const cardKey = z.strictObject({ type: z.enum(['des', 'aes']), key: bytes(16), version: byte });
const common = { format: z.literal(1), uid: bytes(7), production: bytes(7) };

const cardFile = z.discriminatedUnion('family', [
  z.strictObject({
    family: z.enum(['desfire-ev1', 'desfire-ev2', 'desfire-ev3']),
    ...common,
    settings: byte,
    key: cardKey,
    applications: z
      .array(
        z.strictObject({
          aid: bytes(3),
          settings: byte,
          type: z.enum(['des', 'aes']),
          keys: z.array(cardKey).min(1).max(14),
        }),
      )
      .max(28),
  }),
  z.strictObject({
    family: z.literal('ntag424'),
    ...common,
    keys: z
      .array(
        z.strictObject({
          ...cardKey.shape,
          type: z.literal('aes'),
          failed_in_a_row: count,
          failed_in_all: count,
          delay: count,
        }),
      )
      .length(5),
  }),
]);

export type CardFile = z.infer<typeof cardFile>;

/** A card in factory state. `production` is decoration in GetVersion. */
export function factoryCard(
  family: CardFamily,
  uid: Uint8Array,
  random: RandomBytes,
  production = fromHex('ba4519e3204913'),
): FiledCard {
  if (family === 'ntag424') return { family, ...simulateNtag424(factoryNtag424(uid, production), random) };
  return {
    family,
    ...simulateDesfire(factoryDesfire(uid, family.slice('desfire-'.length) as DesfireGeneration, production), random),
  };
}

/** The card as text for a file. Byte for byte the same as long as nothing was written to the card. */
export function writeCardFile(card: FiledCard): string {
  return `${JSON.stringify(fileOf(card), null, 2)}\n`;
}

/** @throws {Error} in one line, if the text is not a card file. */
export function readCardFile(text: string, random: RandomBytes): FiledCard {
  const file = parse(text);
  const common = { uid: fromHex(file.uid), production: fromHex(file.production) };
  if (file.family === 'ntag424') {
    const keys = file.keys.map((slot) => ({
      key: keyIn(slot),
      failedInARow: slot.failed_in_a_row,
      failedInAll: slot.failed_in_all,
      delay: slot.delay,
    }));
    return { family: file.family, ...simulateNtag424({ ...common, keys }, random) };
  }
  const generation = file.family.slice('desfire-'.length) as DesfireGeneration;
  const applications = file.applications.map(({ aid, settings, type, keys }) => ({
    aid: fromHex(aid),
    settings,
    type,
    keys: keys.map(keyIn),
  }));
  return {
    family: file.family,
    ...simulateDesfire({ ...common, generation, settings: file.settings, key: keyIn(file.key), applications }, random),
  };
}

function parse(text: string): CardFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('not a card file: not JSON');
  }
  const result = cardFile.safeParse(json);
  if (!result.success)
    throw new Error(
      `not a card file: ${result.error.issues.map((issue) => `${issue.path.join('.') || 'card'}: ${issue.message}`).join('; ')}`,
    );
  return result.data;
}

function fileOf(card: FiledCard): CardFile {
  const common = { format: 1, uid: toHex(card.memory.uid), production: toHex(card.memory.production) } as const;
  if (card.family === 'ntag424') {
    return {
      family: card.family,
      ...common,
      keys: card.memory.keys.map((slot) => ({
        ...keyOut(slot.key),
        type: 'aes',
        failed_in_a_row: slot.failedInARow,
        failed_in_all: slot.failedInAll,
        delay: slot.delay,
      })),
    };
  }
  const applications = card.memory.applications.map(({ aid, settings, type, keys }) => ({
    aid: toHex(aid),
    settings,
    type,
    keys: keys.map(keyOut),
  }));
  return { family: card.family, ...common, settings: card.memory.settings, key: keyOut(card.memory.key), applications };
}

function keyIn({ type, key, version }: z.infer<typeof cardKey>): CardKey {
  return { type, key: fromHex(key), version };
}

function keyOut({ type, key, version }: CardKey): z.infer<typeof cardKey> {
  return { type, key: toHex(key), version };
}
