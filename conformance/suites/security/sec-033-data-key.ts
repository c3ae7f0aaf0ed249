import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-033',
  suite: 'security',
  level: 'must',
  says: 'Badges need DATA_KEY: without it issuing is refused with data_key_missing.',
  covers: ["Badges need DATA_KEY, which seals the company's card key."],
  async check(world) {
    const { data_key: hasKey } = await world.fixtures.readFeatures();
    const terminal = await world.newTerminal();
    const person = await world.newPerson();
    const issuing = world.fixtures.startIssuing(terminal.id, person.id);
    if (hasKey === true) await issuing;
    else await expectRefusal(issuing, 'data_key_missing', 'issuing');
  },
});
