import { formatInstant } from '@clockproof/platform/time/instant';
import type { AppHandler } from '../http/handler.js';
import { actorOf, nameOf } from '../people/actor.js';
import { requireFreshFactor } from '../people/caller.js';
import { presentProofs } from '../proofs/present-proofs.js';
import { readProofFile } from '../proofs/proof-file.js';
import { createLinkToProofs, followLinkToProofs } from './proof-link.js';

export const createProofLink: AppHandler<'createProofLink'> = async ({
  db,
  baseUrl,
  randomBytes,
  caller,
  path: { id },
  at,
}) => {
  requireFreshFactor(caller, at);
  const { token, expiresAt } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    createLinkToProofs(write, caller, id, randomBytes),
  );
  return { status: 201, body: { url: `${baseUrl}/proofs#${token}`, expires_at: formatInstant(expiresAt) } };
};

export const checkProofLink: AppHandler<'checkProofLink'> = async ({ db, body: { token }, at }) => {
  const { person, expiresAt } = await followLinkToProofs(db, token, at);
  return {
    status: 200,
    body: {
      name: nameOf(person),
      company: { name: person.company_name, time_zone: person.time_zone },
      expires_at: formatInstant(expiresAt),
      proofs: await presentProofs(db, person.id, at),
    },
  };
};

export const downloadLinkedProof: AppHandler<'downloadLinkedProof'> = async ({ db, body, at }) => {
  const { token, period, revision, hide = [] } = body;
  const { person } = await followLinkToProofs(db, token, at);
  const file = await readProofFile(db, { personId: person.id, period, revision, hidden: new Set(hide) });
  return { status: 200, body: file };
};
