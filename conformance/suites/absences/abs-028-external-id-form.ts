import { requirement } from '../../kit/requirement.js';
import { absence } from '../support.js';

export default requirement({
  id: 'ABS-028',
  suite: 'absences',
  level: 'must',
  says: 'external_id has 1 to 128 printable characters and belongs to one person: for another person it is free.',
  covers: ['external_id has 1 to 128 printable characters and is unique per extension and person.'],
  async check(world) {
    const { api } = await world.extension();
    const [person, otherPerson] = [await world.newPerson(), await world.newPerson()];
    for (const external_id of ['', 'x'.repeat(129), 'a\u0007b', 'a\nb'])
      (await absence(world, api, person, { external_id })).is(400, 'invalid_request');
    const external_id = 'x'.repeat(128);
    (await absence(world, api, person, { external_id })).is(201);
    (await absence(world, api, otherPerson, { external_id })).is(201);
  },
});
