import { ensure, requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-026',
  suite: 'time',
  level: 'must',
  says: 'The status is open and gives version, API versions, features and time.',
  covers: ['T4.1', 'T9.1', 'T9.2', 'T9.4', 'T1.14', 'T1.2', 'D1.13', 'D1.15'],
  async check(world) {
    const answer = (await world.stranger().get('/api/v1/status')).is(200);
    const [major, minor] = answer.string('version').split('.').map(Number);
    ensure(major! > 1 || (major === 1 && minor! >= 2), `version ${answer.string('version')} is below 1.2.0`);
    ensure(answer.list('api_versions').includes('v1'), 'api_versions misses v1');
    for (const feature of ['extensions', 'people_writes', 'personal_links', 'terminals', 'webhooks', 'websocket'])
      ensure(typeof answer.get(`features.${feature}`) === 'boolean', `features.${feature} is missing`);
    const away = Math.abs(Date.parse(answer.string('server_time')) - Date.now());
    ensure(away < 60_000, `server_time is ${away} ms away`);
  },
});
