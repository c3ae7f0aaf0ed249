/** The vectors that the conformance kit publishes hold for the service's own code. */
import { readFileSync } from 'node:fs';
import type { Row } from '@clockproof/platform/database/database';
import { describe, expect, it } from '@jest/globals';
import { verifySignature } from '../src/access/ed25519.js';
import { verifies } from '../src/access/oauth/tokens.js';
import { signedHeaders } from '../src/extensions/webhooks/signature.js';
import {
  type Leaf,
  leafOf,
  partHash,
  partSalt,
  partText,
  pathOf,
  rootFrom,
  rootOf,
  slotOf,
  slotsBeside,
  upperNodesOf,
} from '../src/proofs/month-proof.js';
import { type RecordTable, type RecordTableName, recordTables } from '../src/store/audit/record-formats.js';
import { recordHash } from '../src/store/audit/records.js';
import { authenticateAes, authenticateEv2First } from '../src/terminals/cards/authenticate.js';
import { aes128 } from '../src/terminals/cards/block-cipher.js';
import { cmac } from '../src/terminals/cards/cmac.js';
import { diversifyAes128 } from '../src/terminals/cards/diversify.js';
import { openSealed, x25519PrivateKey, x25519PublicBytes } from '../src/terminals/open-sealed.js';
import { fingerprintOf } from '../src/terminals/pairing.js';
import { signedText } from '../src/terminals/request-signature.js';

interface Case {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  readonly output: Readonly<Record<string, unknown>>;
}
const cases = (kind: string): readonly Case[] =>
  (
    JSON.parse(readFileSync(new URL(`../../conformance/vectors/${kind}.json`, import.meta.url), 'utf8')) as {
      cases: Case[];
    }
  ).cases;
const hex = (text: string | undefined) => Buffer.from(text ?? '', 'hex');

describe('published vectors', () => {
  it.each(cases('request-signature'))('the request signature matches its vector: $name', ({ input, output }) => {
    const { method, path, time, nonce, body, signature } = input as Record<string, string>;
    const text = Buffer.from(signedText(method!, path!, time!, nonce!, Buffer.from(body!)));
    expect(verifySignature(hex(input['public_key']), text, Buffer.from(signature!, 'base64'))).toBe(output['valid']);
  });
  it.each(cases('webhook-signature'))('the webhook signature matches its vector: $name', ({ input, output }) => {
    const { id, timestamp, body, secret, signature } = input as Record<string, string>;
    const ownSignature = signedHeaders(id!, Number(timestamp), Buffer.from(body!), [secret!])['webhook-signature'];
    expect(signature!.split(' ').includes(ownSignature)).toBe(output['valid']);
  });
  it.each(cases('pkce'))('PKCE matches its vector: $name', ({ input, output }) => {
    expect(verifies(input['verifier']!, input['challenge']!)).toBe(output['valid']);
  });
  it.each(cases('aes-cmac'))('AES-CMAC matches its vector: $name', ({ input, output }) => {
    expect(Buffer.from(cmac(aes128, hex(input['key']), hex(input['message']))).toString('hex')).toBe(output['mac']);
  });
  it.each(cases('an10922'))('AN10922 matches its vector: $name', ({ input, output }) => {
    expect(Buffer.from(diversifyAes128(hex(input['key']), hex(input['m']))).toString('hex')).toBe(output['key']);
  });
  it.each(cases('card-authentication'))('card authentication matches its vector: $name', ({ input, output }) => {
    const random = () => hex(input['random']);
    const desfire = input['family'] === 'desfire';
    const authenticate = desfire ? authenticateAes : authenticateEv2First;
    const dialogue = authenticate(Number(input['key_number']), hex(input['key']), random);
    dialogue.next();
    const token = dialogue.next(hex(`${String(output['challenge'])}91af`));
    expect(Buffer.from(token.value as Uint8Array).toString('hex')).toBe(`90af000020${String(output['token'])}00`);
    expect(dialogue.next(hex(`${String(output['reply'])}9100`)).done).toBe(true);
  });
  it.each(cases('fingerprint'))('the fingerprint matches its vector: $name', ({ input, output }) => {
    expect(fingerprintOf(hex(input['public_key']))).toBe(output['fingerprint']);
  });
  describe('hashes of records', () => {
    interface RecordInput {
      readonly table: RecordTableName;
      readonly format: number;
      readonly salt: string;
      readonly row: Row;
    }
    const vectors = cases('record').map(({ name, input, output }) => ({
      name,
      input: input as unknown as RecordInput,
      output,
    }));

    it.each(vectors)(
      'the hash of a record matches its published vector: $name',
      ({ input: { table, format, salt, row }, output }) => {
        expect(recordHash({ table, row, salt }, recordTables, format)).toBe(output['hash']);
      },
    );

    it('published vectors pin every format of every table', () => {
      const formats = Object.entries<RecordTable>(recordTables).flatMap(([table, { later = [] }]) =>
        [undefined, ...later].map((_, index) => `${table} ${index + 1}`),
      );
      expect(vectors.map(({ input: { table, format } }) => `${table} ${format}`).sort()).toEqual(formats.sort());
    });
  });
  it.each(cases('sealed-offline-stamp'))('a sealed stamp matches its vector: $name', ({ input, output }) => {
    const key = x25519PrivateKey(hex(input['recipient_private_key']));
    expect(x25519PublicBytes(key).toString('base64')).toBe(output['seal_key']);
    const context = { info: Buffer.from(input['info']!), aad: Buffer.from(input['aad']!) };
    expect(openSealed(key, context, Buffer.from(input['sealed']!, 'base64'))?.toString() ?? null).toBe(
      output['plaintext'],
    );
  });
});

describe('the vectors of the month proof', () => {
  const files = cases('month-proof').filter(({ output }) => output['valid'] === true);

  it.each(files)('a file matches: $name', ({ input, output }) => {
    const {
      record_salt: recordSalt,
      seed,
      leaves,
      file,
    } = input as unknown as {
      record_salt: string;
      seed: string;
      leaves: { slot: number; hash: string }[];
      file: string;
    };
    const { parts, slot, path, root } = JSON.parse(file) as ProofFile;
    const head = JSON.parse(parts[0]!.text!) as Record<string, string | number>;
    const place = {
      companyToken: String(head['company_token']),
      period: String(head['period']),
      revision: Number(head['revision']),
      attempt: Number(head['attempt']),
      personToken: String(head['person_token']),
    };
    const hashes = parts.map(({ name, text, salt, hash }) => {
      if (text === undefined) return hex(hash);
      expect(partSalt(hex(recordSalt), place, name).toString('hex')).toBe(salt);
      expect(partText(JSON.parse(text) as object)).toBe(text);
      return partHash({ name, text }, hex(salt));
    });
    const leaf = leafOf(hashes);
    const tree = leaves.map((entry) => ({ slot: entry.slot, hash: hex(entry.hash) }));
    expect(leaf.toString('hex')).toBe(output['leaf']);
    expect(slotOf(place)).toBe(slot);
    const upperNodes = upperNodesOf(tree, hex(seed));
    const range = slotsBeside(slot, upperNodes);
    const isInRange = (entry: Leaf) => range.first <= entry.slot && entry.slot < range.end;
    expect(rootOf(upperNodes, hex(seed)).toString('hex')).toBe(root);
    expect(pathOf(tree.filter(isInRange), hex(seed), slot, upperNodes).map((node) => node.toString('hex'))).toEqual(
      path,
    );
    expect(rootFrom({ slot, hash: leaf }, path.map(hex)).toString('hex')).toBe(output['root']);
  });

  it.each(cases('month-proof').filter(({ input }) => input['kind'] === 'root'))('a root matches: $name', (vector) => {
    const { seed, leaves } = vector.input as unknown as { seed: string; leaves: { slot: number; hash: string }[] };
    const tree = leaves.map(({ slot, hash }) => ({ slot, hash: hex(hash) }));
    expect(rootOf(upperNodesOf(tree, hex(seed)), hex(seed)).toString('hex')).toBe(vector.output['root']);
  });

  it('the vectors of the month proof show the same root for any hidden parts', () => {
    const roots = ['a whole month', 'one day is shown', 'the sums alone, without the name'].map(
      (name) => files.find((vector) => vector.name === name)!.output['root'],
    );
    expect(new Set(roots).size).toBe(1);
  });
});

interface ProofFile {
  readonly parts: readonly {
    readonly name: string;
    readonly text?: string;
    readonly salt?: string;
    readonly hash?: string;
  }[];
  readonly slot: number;
  readonly path: readonly string[];
  readonly root: string;
}
