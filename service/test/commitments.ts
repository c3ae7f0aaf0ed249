/** Commitments without a month behind them. */
import { packParts } from '../src/proofs/packed-parts.js';
import { type CommitmentRow, insertCommitment } from '../src/proofs/rows.js';
import type { World } from './world.js';

const period = '2026-11';
const names = [
  ...['head', 'person', 'figures', 'bookings', 'sign_offs', 'steps'],
  ...Array.from({ length: 30 }, (_, index) => `${period}-${String(index + 1).padStart(2, '0')}`),
];

/** @param member the person whose month says no more than `text` */
export function commitTo(
  world: World,
  company_id: number,
  member?: { readonly person: number; readonly text: string },
): Promise<CommitmentRow> {
  return world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
    const commitment = await insertCommitment(
      write,
      {
        company_id,
        kind: 'month',
        period,
        revision: 1,
        attempt: 1,
        root: 'a'.repeat(64),
        seed: 'b'.repeat(64),
        upper_nodes: Buffer.alloc(32, 0xaa).toString('base64'),
        previous_root: null,
        made_at: write.at,
        state: 'made',
        claimed_until: null,
        overdue_told_at: null,
      },
      member === undefined
        ? []
        : [
            {
              slot: 7,
              leaf: 'c'.repeat(64),
              person_id: member.person,
              parts: packParts(names.map((name) => ({ name, text: JSON.stringify({ text: member.text }) }))),
            },
          ],
    );
    await write.audit({ companyId: company_id, action: 'month.closed', subject: `month ${period}` });
    return commitment;
  });
}
