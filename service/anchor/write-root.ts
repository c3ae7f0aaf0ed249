/**
 * A root is written once: its writer holds the only claim to it. The service grants another claim only to a writer who
 * has seen the ledger after the end of the first. If this process dies, its claim ends; then an index lists the root,
 * and it is reported, or nothing was written, and it is claimed again.
 */
import { day, formatInstant, minute, parseInstant, second } from '@clockproof/platform/time/instant';
import type { AnchorNeeds } from './anchor-needs.js';
import { ask, type Blame, type Panel } from './panel.js';
import type { Commitment } from './service-api.js';

/**
 * The largest difference of a ledger's clock from the service's, and the time by which a transaction may outlive its
 * client.
 */
const settleMs = minute;

/**
 * `found`: it was on the ledger already. `waiting`: another writer has the claim, or the root was reported less than a
 * day ago and may still appear. `failed`: nothing can be written now.
 */
export type WriteOutcome = 'found' | 'written' | 'waiting' | 'failed';

export async function writeRoot(
  needs: AnchorNeeds,
  panel: Panel,
  commitment: Commitment,
  blame: Blame,
): Promise<WriteOutcome> {
  const { service, command, sender, timeoutMs, log } = needs;
  const { id, company_token, period, merkle_root, anchors } = commitment;
  const subject = { commitment: id, period };
  const report = async (tx: string) => {
    const refusal = await service.report(id, { tx, sender, package: panel.package, chain: panel.chain });
    if (refusal !== undefined) blame(`the service refuses transaction ${tx} for commitment ${id}: ${refusal}`);
  };
  for (const index of [...panel.members.keys()]) {
    const tx = await ask(panel.members, index, blame, () => index.find({ company_token, period, merkle_root, sender }));
    if (tx === undefined) continue;
    if (anchors.some((anchor) => anchor.tx === tx && anchor.sender === sender)) return 'waiting';
    log.info({ ...subject, tx, index: index.url }, 'the root is on the ledger already');
    await report(tx);
    return 'found';
  }
  if (panel.members.size === 0) return 'failed';
  const { readUntil } = panel;
  const latest = anchors.at(-1)?.reported_at;
  if (latest !== undefined && (readUntil === undefined || readUntil - parseInstant(latest)! < day)) return 'waiting';
  const refusal = await service.claim(id, {
    seconds: Math.ceil((timeoutMs + settleMs) / second),
    ...(readUntil === undefined ? {} : { ledger_read_until: formatInstant(readUntil) }),
  });
  if (refusal !== undefined) {
    log.info({ ...subject, refusal }, 'not claimed');
    return 'waiting';
  }
  // If this process dies from here on, the claim ends, and the indexes say whether the root was written.
  const outcome = await command({ company_token, period, merkle_root });
  needs.onCommand?.('tx' in outcome ? 'written' : outcome.failure);
  if (!('tx' in outcome)) {
    blame(`ANCHOR_COMMAND for ${period}: ${outcome.failure}, ${outcome.words}`);
    return 'failed';
  }
  log.info({ ...subject, tx: outcome.tx }, 'written to the ledger');
  await report(outcome.tx);
  return 'written';
}
