import { randomBytes } from 'node:crypto';
import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { pause } from '../../kit/world.js';
import { stepAt, totp } from '../../peers/totp.js';
import { eventually } from '../support.js';

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
    const firstBrowser = pages.newBrowser();
    const repetition = await firstBrowser.accept(await pages.invite(person.id), password);
    const secondBrowser = pages.newBrowser();
    const prove = async (step: number) => {
      (await secondBrowser.post('/app/sign-in', { email: person.email, password })).is(200);
      return secondBrowser.post('/app/sign-in/second-factor', { code: totp(firstBrowser.totpSecret, step) });
    };
    ensure((await prove(repetition)).status >= 400, 'the code that confirmed the second factor signs in');
    // The clock of the service may be behind.
    await eventually(
      async () => {
        if ((await prove(Math.max(repetition, stepAt(Date.now())) + 1)).status === 200) return true;
        await pause(5_000);
        return undefined;
      },
      'the next code signs in',
      35,
    );
  },
});
