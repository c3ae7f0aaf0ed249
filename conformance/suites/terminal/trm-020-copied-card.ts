import { randomBytes } from 'node:crypto';
import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { Desfire } from '../../peers/card.js';

export default requirement({
  id: 'TRM-020',
  suite: 'terminal',
  level: 'must',
  says: 'A copy that knows the UID and not the key is refused with card_refused, without a name, and the refusal is audited.',
  covers: ['Refusals of cards are one code, card_refused.', 'Refused proofs of cards are in the audit log.'],
  async check(world) {
    const terminal = await world.terminal();
    const { card } = await world.badge('desfire');
    const entriesBefore = (await world.audit('card.')).length;
    const [application] = (card as Desfire).memory.applications;
    const aid = Buffer.from(application?.aid ?? []).toString('hex');
    const copy = new Desfire({ uid: card.uid, stampKey: randomBytes(16), aid });
    const refusal = (await terminal.hold(copy)).is(403, 'card_refused');
    equal(refusal.get('first_name'), undefined, 'first_name');
    ensure((await world.audit('card.')).length > entriesBefore, 'the audit log has no entry card.… about it');
  },
});
