import { formatInstant, parseInstant } from '@clockproof/platform/time/instant';
import type { ApiHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { callerActor, callerKey, narrowedScope } from '../people/caller.js';
import { runOnce } from '../store/idempotency.js';
import { bindingOf, type CompanyScope, companiesOf, type TenantScope } from '../store/scope.js';
import { listCommitmentRows } from './anchor-rows.js';
import { claimCommitmentOf } from './claim-commitment.js';
import { presentCommitment, presentCommitments } from './present-commitment.js';
import { reportAnchorOf } from './report-anchor.js';

export const listCommitments: ApiHandler<'listCommitments'> = async ({
  db,
  cursors,
  caller,
  query: { state, company_id: companyId, cursor, limit = 100 },
  at,
}) => {
  const scope = await narrowedScope(db, caller, { companyId });
  const binding = ['listCommitments', callerKey(caller), bindingOf(scope), state];
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  const rows = await listCommitmentRows(db, wholeCompanies(scope), { state, afterId, limit: limit + 1 });
  const items = await presentCommitments(db, rows, at);
  return { status: 200, body: pageOf(rows, limit, items, (last) => cursors.write(binding, last.id)) };
};

export const claimCommitment: ApiHandler<'claimCommitment'> = async ({
  db,
  caller,
  path: { id },
  body: { seconds, ledger_read_until: readUntil },
  headers,
  at,
}) => {
  const scope = wholeCompanies(await narrowedScope(db, caller, { companyId: undefined }));
  const claim = {
    commitmentId: id,
    seconds,
    ledgerReadUntil: readUntil === undefined ? undefined : parseInstant(readUntil),
  };
  const request = {
    caller: callerKey(caller),
    key: headers['idempotency-key'],
    content: `claim ${JSON.stringify(claim)}`,
  };
  const { answer, headers: replayed } = await db.write({ actor: callerActor(caller), at }, (write) =>
    runOnce(write, request, async () => ({
      claimed_until: formatInstant(await claimCommitmentOf(write, scope, claim)),
    })),
  );
  return { status: 201, headers: replayed, body: answer };
};

export const reportAnchor: ApiHandler<'reportAnchor'> = async ({ db, caller, path: { id }, body, headers, at }) => {
  const { checks = [], indexes, ...anchor } = body;
  const scope = wholeCompanies(await narrowedScope(db, caller, { companyId: undefined }));
  const request = {
    caller: callerKey(caller),
    key: headers['idempotency-key'],
    content: `anchor ${id} ${JSON.stringify(body)}`,
  };
  const { answer, headers: replayed } = await db.write({ actor: callerActor(caller), at }, (write) =>
    runOnce(write, request, async () => {
      const { commitment, isNew } = await reportAnchorOf(write, scope, { commitmentId: id, anchor, checks, indexes });
      return { isNew, body: await presentCommitment(write, commitment, at) };
    }),
  );
  return { status: answer.isNew ? 201 : 200, headers: replayed, body: answer.body };
};

/** A commitment is about a whole company: those who read linked people only read none. */
function wholeCompanies(scope: TenantScope): CompanyScope {
  return scope.linkedTo === undefined ? companiesOf(scope) : { ...companiesOf(scope), none: true };
}
