import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { absence, clock } from '../support.js';

export default requirement({
  id: 'SEC-030',
  suite: 'security',
  level: 'must',
  says: 'Switching writing off refuses writes with feature_disabled, ends every link and takes the write scopes from every key.',
  covers: ['Switching writing off ends every personal link and takes the write scopes from every key.'],
  last: true,
  limit: 60,
  async check(world) {
    world.needIntrusion('it ends the links of people and takes write scopes from keys');
    const extension = await world.newExtension();
    const person = await world.newPerson();
    const writtenPath = `/api/v1/absences/${(await absence(world, extension.api, person)).is(201).number('id')}`;
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access } = await app.link(session, ['read:clock_states', 'write:clock']);
    await world.fixtures.changeFeatures({ extensions_write: false, personal_links: false });
    try {
      for (const operation of ['in', 'out', 'break/start', 'break/end'] as const)
        (await clock(extension.api, person, operation)).is(403, 'feature_disabled');
      (await absence(world, extension.api, person)).is(403, 'feature_disabled');
      (await extension.api.patch(writtenPath, { comment: 'x' })).is(403, 'feature_disabled');
      (await extension.api.delete(writtenPath)).is(403, 'feature_disabled');
      (await extension.api.get(writtenPath)).is(200);
      (await world.bearer(access).get('/api/v1/me')).is(401, 'token_revoked');
      equal((await world.open.get('/api/v1/status')).get('features.people_writes'), false, 'features.people_writes');
      (await extension.api.get('/api/v1/users?limit=1')).is(200);
      const { scopes } = await world.fixtures.showExtension(extension.id);
      for (const scope of ['write:clock', 'write:absences'])
        ensure(!scopes.includes(scope), `a key still holds ${scope}`);
      // Reporting anchors writes nothing for people.
      ensure(scopes.includes('write:anchors'), 'a key has lost write:anchors');
      ensure(
        (await app.authorize(session, app.newVerifier())).question === undefined,
        'a person is still asked for consent',
      );
    } finally {
      await world.fixtures.changeFeatures({ extensions_write: true, personal_links: true });
    }
  },
});
