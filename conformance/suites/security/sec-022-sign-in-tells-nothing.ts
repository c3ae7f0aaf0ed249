import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-022',
  suite: 'security',
  level: 'must',
  says: 'A wrong password and an unknown address are refused alike.',
  async check(world) {
    const browser = (await world.pages()).newBrowser();
    const person = await world.signedIn();
    const wrongPassword = (
      await browser.post('/app/sign-in', { email: person.email, password: 'not the password at all' })
    ).is(401, 'credentials_invalid');
    const unknownAnswer = (
      await browser.post('/app/sign-in', { email: 'nobody@conformance.example', password: 'not the password at all' })
    ).is(401, 'credentials_invalid');
    equal(wrongPassword.get('error'), unknownAnswer.get('error'), 'the sentence');
  },
});
