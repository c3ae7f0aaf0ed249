import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { clock } from '../support.js';

export default requirement({
  id: 'CLK-010',
  suite: 'time',
  level: 'must',
  says: 'An entry names the extension that made it as its source, and shows no proof of a card.',
  covers: [
    "Entries made by an app or terminal are marked as such, in the person's overview and the audit log.",
    'worked_minutes, stamps, source and proof tell where an entry comes from.',
  ],
  async check(world) {
    const extension = await world.extension();
    const person = await world.person();
    const entry = (await clock(extension.api, person, 'in')).is(200);
    equal(entry.get('time_entry.source.kind'), 'extension', 'source.kind');
    equal(entry.get('time_entry.source.id'), extension.id, 'source.id');
    ensure(
      [undefined, 'none'].includes(entry.get('time_entry.proof') as undefined),
      'an entry of an extension shows a proof',
    );
  },
});
