import { randomBytes } from 'node:crypto';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { stepAt, totp } from '../../peers/totp.js';

export default requirement({
  id: 'SEC-037',
  suite: 'security',
  level: 'must',
  says: 'A code of the second factor is accepted once: one that was used is refused at the next sign-in.',
  covers: ['Each code of a second factor is accepted once.'],
  async check(world) {
    const person = await world.newPerson();
    const pages = await world.pages();
    const password = `kit-${randomBytes(12).toString('base64url')}`;
    const first = pages.newBrowser();
    const before = stepAt(Date.now());
    await first.accept(await pages.invite(person.id), password);
    const second = pages.newBrowser();
    const prove = async (step: number) => {
      (await second.post('/app/sign-in', { email: person.email, password })).is(200);
      return second.post('/app/sign-in/second-factor', { code: totp(first.totpSecret, step) });
    };
    for (const step of new Set([before, stepAt(Date.now())])) {
      const { status } = await prove(step);
      ensure(status >= 400, 'the code that confirmed the second factor signs in');
    }
    (await prove(stepAt(Date.now()) + 1)).is(200);
  },
});
