/** The file with which a person proves a month: `docs/protocols/month-proof.md`, section 5. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import type { PersonId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import { listAnchorsOf } from './anchor-rows.js';
import { partHash, partSalt, pathOf, slotsBeside } from './month-proof.js';
import { unpackParts } from './packed-parts.js';
import { findLeafOfPerson, listLeaves, listRevisions } from './rows.js';

export type ProofFile = components['schemas']['ProofFile'];
type ProofPart = components['schemas']['ProofPart'];

export interface ProofRequest {
  readonly personId: PersonId;
  readonly period: string;
  /** The newest one if absent. */
  readonly revision?: number | undefined;
  /** Names of parts; the head is always shown. */
  readonly hidden?: ReadonlySet<string>;
}

/** @throws Refusal `not_found` the month was not closed with the person; `invalid_request` a hidden part is none */
export async function readProofFile(
  reader: Reader,
  { personId, period, revision, hidden: hiddenParts = new Set() }: ProofRequest,
): Promise<ProofFile> {
  const leaf = await findLeafOfPerson(reader, { personId, period, revision });
  if (leaf === undefined || leaf.parts === null || leaf.seed === null || leaf.upper_nodes === null)
    throw new Refusal('not_found');
  const place = { companyToken: leaf.company_token, period, revision: leaf.revision };
  const recordSalt = Buffer.from(leaf.record_salt, 'hex');
  const upperNodes = Buffer.from(leaf.upper_nodes, 'base64');
  const slotRange = { commitmentId: leaf.commitment_id, ...slotsBeside(leaf.slot, upperNodes) };
  const leaves = (await listLeaves(reader, slotRange)).map((row) => ({
    slot: row.slot,
    hash: Buffer.from(row.leaf, 'hex'),
  }));
  const anchors = await listAnchorsOf(reader, leaf.commitment_id);
  const parts = unpackParts(leaf.parts);
  // A misspelt name must not disclose a part that was to be hidden.
  const unknown = [...hiddenParts].find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) throw invalidField('hide', 'unknown', `${unknown} is no part of this month.`);
  return {
    format: 'clockproof proof 1',
    parts: parts.map((part): ProofPart => {
      const salt = partSalt(recordSalt, place, part.name);
      return hiddenParts.has(part.name) && part.name !== 'head'
        ? { name: part.name, hash: partHash(part, salt).toString('hex') }
        : { name: part.name, salt: salt.toString('hex'), text: part.text };
    }),
    slot: leaf.slot,
    path: pathOf(leaves, Buffer.from(leaf.seed, 'hex'), leaf.slot, upperNodes).map((hash) => hash.toString('hex')),
    root: leaf.root,
    revisions: (await listRevisions(reader, { companyId: leaf.company_id, month: period })).map((row) => ({
      revision: row.revision,
      root: row.root,
      made_at: formatInstant(row.made_at),
    })),
    anchors: anchors.map(({ anchor: { tx, sender, package: packageId, chain } }) => ({
      tx,
      sender,
      package: packageId,
      chain,
    })),
    indexes: [...new Set(anchors.flatMap(({ checks }) => checks.map(({ index_url: index }) => index)))],
  };
}
