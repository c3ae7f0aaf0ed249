import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-027',
  suite: 'security',
  level: 'must',
  says: 'The service publishes its OpenAPI and AsyncAPI documents, which name version 1 paths only.',
  covers: ['The API is under /api/v1.', 'Version 1 grows by addition; the version starts at 1.2.0.'],
  async check(world) {
    const openapi = (await world.open.get('/api/v1/openapi.json')).is(200);
    ensure(/^3\./.test(openapi.string('openapi')), 'openapi is no version 3');
    const paths = Object.keys(openapi.get('paths') as object);
    ensure(
      paths.every(
        (path) => path.startsWith('/api/v1/') || path.startsWith('/oauth/') || path.startsWith('/.well-known/'),
      ),
      'a path stands outside /api/v1',
    );
    for (const path of [
      '/api/v1/status',
      '/api/v1/users',
      '/api/v1/clock/states',
      '/api/v1/time/entries',
      '/api/v1/time/leaves',
      '/api/v1/companies',
    ])
      ensure(paths.includes(path), `${path} is missing`);
    if (world.target.indexer !== undefined) (await world.indexer.get('/api/v1/openapi.json')).is(200);
    if (!(await world.hasExtensions())) return;
    const events = (await world.open.get('/api/v1/asyncapi.json')).is(200);
    ensure(/^3\./.test(events.string('asyncapi')), 'asyncapi is no version 3');
  },
});
