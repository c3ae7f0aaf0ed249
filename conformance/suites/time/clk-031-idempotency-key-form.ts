import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-031',
  suite: 'time',
  level: 'must',
  says: 'An Idempotency-Key has at most 255 characters, and another key may use the same.',
  async check(world) {
    const { api } = await world.extension();
    const [person, otherPerson] = [await world.person(), await world.person()];
    (await clock(api, person, 'in', { 'idempotency-key': 'k'.repeat(256) })).is(400, 'invalid_request');
    const headers = { 'idempotency-key': `${person.id}-${'k'.repeat(240)}` };
    (await clock(api, person, 'in', headers)).is(200);
    const secondExtension = await world.newExtension();
    (await clock(secondExtension.api, otherPerson, 'in', headers)).is(200);
  },
});
