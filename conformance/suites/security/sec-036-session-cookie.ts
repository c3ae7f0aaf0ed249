import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-036',
  suite: 'security',
  level: 'must',
  says: 'Cookies of a sign-in are HttpOnly and SameSite=Lax, over https also Secure and bound to the host by their name.',
  covers: ['The session cookie is HttpOnly and SameSite=Lax, and bound to the host where TLS ends in front.'],
  async check(world) {
    const { email, password } = (await world.pages()).superAdmin;
    const client = world.stranger().with({ origin: world.open.base, 'sec-fetch-site': 'same-origin' });
    const answer = (await client.post('/app/sign-in', { email, password })).is(200);
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    ensure(cookies.length > 0, 'no cookie is set');
    for (const cookie of cookies) {
      const [name = ''] = cookie.split('=');
      ensure(/;\s*HttpOnly/i.test(cookie), `${name} is not HttpOnly`);
      ensure(/;\s*SameSite=Lax/i.test(cookie), `${name} is not SameSite=Lax`);
      if (world.open.base.startsWith('https'))
        ensure(/;\s*secure/i.test(cookie) && name.startsWith('__Host-'), `${name} is not a __Host- cookie`);
    }
  },
});
