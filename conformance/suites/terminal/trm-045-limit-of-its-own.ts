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
    const [terminalQuota, addressQuota] = [quotaOf(await ask()), quotaOf(await world.stranger().get('/api/v1/status'))];
    if (terminalQuota < 110 && terminalQuota > addressQuota)
      throw new Skipped(`the limit is ${terminalQuota} a minute`);
    // One stamp is five or six requests, and the address alone may send sixty a minute.
    for (let sentCount = 0; sentCount < 100; sentCount += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, ask));
      const refusedStatuses = answers.filter(({ status }) => status !== 200).map(({ status }) => status);
      ensure(refusedStatuses.length === 0, `after ${sentCount} requests came ${refusedStatuses.join(', ')}`);
    }
  },
});
