import { at } from '../../kit/json.js';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-011',
  suite: 'time',
  level: 'must',
  says: 'Each clock operation of an extension is in the audit log with the extension.',
  covers: ['Writes, terminal stamps (with the terminal) and refused card proofs are in the audit log.'],
  async check(world) {
    const extension = await world.extension();
    const person = await world.person();
    (await clock(extension.api, person, 'in')).is(200);
    const entries = await world.audit('clock.in');
    const mine = entries.filter(
      (entry) =>
        JSON.stringify(entry).includes(extension.id) &&
        JSON.stringify(at(entry, 'subject') ?? entry).includes(String(person.id)),
    );
    ensure(mine.length > 0, `none of ${entries.length} entries clock.in names the extension and the person`);
    ensure(!JSON.stringify(entries).includes(extension.key), 'the audit log contains a key');
  },
});
