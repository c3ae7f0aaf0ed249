import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-023',
  suite: 'absences',
  level: 'must',
  says: 'An absence that an extension creates is in the audit log with the extension.',
  covers: [
    'Every write is in the audit log with the extension.',
    'The audit log names who, through what, what and when, is protected against changes, and holds no secrets.',
  ],
  async check(world) {
    const extension = await world.extension();
    const person = await world.person();
    (await absence(world, extension.api, person)).is(201);
    const entries = await world.audit('absence.');
    ensure(
      entries.some((entry) => JSON.stringify(entry).includes(extension.id)),
      `none of ${entries.length} entries names the extension`,
    );
  },
});
