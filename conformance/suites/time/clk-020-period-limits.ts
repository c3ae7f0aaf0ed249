import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'CLK-020',
  suite: 'time',
  level: 'must',
  says: 'A period of entries or leaves needs both ends, has at most 366 days, both included, and does not end before it begins.',
  covers: [
    '/time/leaves with from and to lists approved absences; both are required, at most 366 days apart.',
    '366 days count inclusively; only approved leaves are listed by period.',
  ],
  async check(world) {
    const { api } = await world.extension();
    for (const list of ['entries', 'leaves']) {
      const path = `/api/v1/time/${list}`;
      (await api.get(`${path}?from=2026-01-01`)).is(400, 'invalid_request');
      (await api.get(`${path}?to=2026-01-01`)).is(400, 'invalid_request');
      (await api.get(path)).is(400, 'invalid_request');
      (await api.get(`${path}?from=2026-01-01&to=2027-01-01`)).is(200);
      (await api.get(`${path}?from=2026-01-01&to=2027-01-02`)).is(400, 'invalid_request');
      (await api.get(`${path}?from=2026-02-02&to=2026-02-01`)).is(400, 'invalid_request');
      (await api.get(`${path}?from=2026-02-30&to=2026-03-01`)).is(400, 'invalid_request');
    }
  },
});
