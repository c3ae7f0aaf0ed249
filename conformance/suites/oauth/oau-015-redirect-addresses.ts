import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'OAU-015',
  suite: 'oauth',
  level: 'must',
  says: 'Redirect addresses are https, http on this computer, or an app scheme with a dot; others cannot be registered.',
  covers: ['Redirect addresses are compared exactly; https, http for localhost only, or an app scheme.'],
  async check(world) {
    const app = await world.app();
    for (const address of [
      'https://a.example/cb',
      'http://localhost:4000/cb',
      'http://127.0.0.1/cb',
      'com.example.app:/callback',
    ])
      await world.fixtures.changeExtension(app.registered.id, { redirect_uris: [address] });
    for (const address of [
      'http://a.example/cb',
      'javascript:alert(1)',
      'callback:/x',
      'https://u:p@a.example/',
      'https://a.example/#f',
      'https://*.example/cb',
      'data:text/html,x',
      'http://localhost.evil.example/',
    ])
      await expectRefusal(
        world.fixtures.changeExtension(app.registered.id, { redirect_uris: [address] }),
        'redirect_uri_refused',
        address,
      );
  },
});
