import { ensure, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { quotaOf } from '../support.js';

export default requirement({
  id: 'TRM-045',
  suite: 'terminal',
  level: 'must',
  says: 'A confirmed terminal has a limit of its own, above that of its address: a queue at the door is served.',
  covers: ['A confirmed terminal has a limit of its own, 600 requests a minute by default.'],
  async check(world) {
    const terminal = await world.newTerminal();
    const ask = () => {
      const { method, path, sent } = terminal.signRequest('GET', '/api/v1/terminal/status');
      return terminal.client.call(method, path, { ...sent, patient: false });
    };
    const [own, shared] = [quotaOf(await ask()), quotaOf(await world.stranger().get('/api/v1/status'))];
    if (own < 110 && own > shared) throw new Skipped(`the limit is ${own} a minute`);
    // One stamp is five or six requests, and the address alone may send sixty a minute.
    for (let sent = 0; sent < 100; sent += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, ask));
      const refused = answers.filter(({ status }) => status !== 200).map(({ status }) => status);
      ensure(refused.length === 0, `after ${sent} requests came ${refused.join(', ')}`);
    }
  },
});
