import { randomBytes } from 'node:crypto';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { Browser } from '../../peers/browser.js';
import { stepAt, totp } from '../../peers/totp.js';

export default requirement({
  id: 'SEC-037',
  suite: 'security',
  level: 'must',
  says: 'A code of the second factor is accepted once: one that was used is refused at the next sign-in.',
  covers: ['Each code of a second factor is accepted once.'],
  async check(world) {
    const person = await world.newPerson();
    const admin = await world.admin();
    const invited = (await admin.post(`/app/admin/people/${person.id}/invitation`)).is(201);
    const password = `kit-${randomBytes(12).toString('base64url')}`;
    const first = new Browser(world.stranger());
    const before = stepAt(Date.now());
    await first.accept(invited.string('url'), password);
    const second = new Browser(world.stranger());
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
