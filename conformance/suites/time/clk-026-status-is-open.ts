import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-026',
  suite: 'time',
  level: 'must',
  says: 'The status is open and gives version, API versions, features and time.',
  covers: [
    'The REST API stands under /api/v1 with status, users, clock states, time entries, leaves and companies.',
    'Stamping at terminals belongs to version 1.2.0 and later.',
    'The version of the API is in its path.',
    '/status reports version and features.',
    'Terminals are there from 1.2.0.',
    '/status is open and says which versions, features and time there are; /companies needs a key.',
  ],
  async check(world) {
    const answer = (await world.stranger().get('/api/v1/status')).is(200);
    const [major, minor] = answer.string('version').split('.').map(Number);
    ensure(major! > 1 || (major === 1 && minor! >= 2), `version ${answer.string('version')} is below 1.2.0`);
    ensure(answer.list('api_versions').includes('v1'), 'api_versions misses v1');
    for (const feature of ['extensions', 'people_writes', 'personal_links', 'terminals', 'webhooks', 'websocket'])
      ensure(typeof answer.get(`features.${feature}`) === 'boolean', `features.${feature} is missing`);
    const differenceMs = Math.abs(Date.parse(answer.string('server_time')) - Date.now());
    ensure(differenceMs < 60_000, `server_time is ${differenceMs} ms away`);
  },
});
