import { equal, Inconclusive, NotApplicable } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-032',
  suite: 'security',
  level: 'must',
  says: 'Without extensions the admin pages and the event connection answer 404 and reading goes on.',
  covers: [
    'EXTENSIONS_ENABLED=false hides /admin/extensions and the event connection and stops webhooks, writes and links; reading goes on.',
  ],
  async check(world) {
    const status = (await world.open.get('/api/v1/status')).is(200);
    if (status.get('features.extensions') !== false)
      throw new NotApplicable(
        'extensions are enabled here; point the kit at a deployment with EXTENSIONS_ENABLED=false',
      );
    for (const path of ['/admin/extensions', '/admin/extensions/new', '/api/v1/extension/connect'])
      equal((await world.open.get(path)).status, 404, `GET ${path}`);
    const [extension] = (world.target.extensions ?? []).filter(({ scopes }) => scopes.includes('write:clock'));
    if (extension === undefined)
      throw new Inconclusive(
        'the pages and the connection answer 404; reading needs a key in extensions of the target',
      );
    const api = world.stranger().with({ authorization: `Bearer ${extension.key}` });
    (await api.get('/api/v1/companies')).is(200);
    for (const [scope, path] of [
      ['read:users', 'users'],
      ['read:clock_states', 'clock/states'],
      ['read:time_entries', 'time/entries?from=2026-01-01&to=2026-01-31'],
      ['read:leave_entries', 'time/leaves?from=2026-01-01&to=2026-01-31'],
    ] as const)
      if (extension.scopes.includes(scope)) (await api.get(`/api/v1/${path}`)).is(200);
    for (const operation of ['in', 'out', 'break/start', 'break/end'])
      (await api.post(`/api/v1/clock/${operation}`, { user_id: 1 })).is(403, 'feature_disabled');
  },
});
