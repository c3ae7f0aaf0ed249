import { randomBytes } from 'node:crypto';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-017',
  suite: 'time',
  level: 'must',
  says: 'The same Idempotency-Key repeats the first answer, and with another request it is refused with idempotency_conflict.',
  covers: [
    'Idempotency-Key repeats the first answer of clock writes and new absences for 24 hours, and refuses another request.',
  ],
  async check(world) {
    const { api } = await world.extension();
    const person = await world.person();
    const key = { 'idempotency-key': `kit-${person.id}-${randomBytes(6).toString('hex')}` };
    const firstAnswer = (await clock(api, person, 'in', key)).is(200);
    const secondAnswer = (await clock(api, person, 'in', key)).is(200);
    equal(secondAnswer.get('time_entry.id'), firstAnswer.get('time_entry.id'), 'the entry of the repetition');
    equal(secondAnswer.get('server_time'), firstAnswer.get('server_time'), 'server_time of the repetition');
    (await clock(api, person, 'out', key)).is(409, 'idempotency_conflict');
  },
});
