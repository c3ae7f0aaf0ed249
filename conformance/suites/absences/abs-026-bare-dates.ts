import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'ABS-026',
  suite: 'absences',
  level: 'should',
  says: 'updated_since takes a bare date, and refuses what is no instant.',
  covers: ['Following next_updated_since misses nothing; updated_since takes an instant, a date or the value given.'],
  async check(world) {
    const { api } = await world.extension();
    // Whatever the time zone, it has begun.
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    (await api.get(`/api/v1/time/leaves?updated_since=${yesterday}&limit=1`)).is(200);
    for (const value of ['yesterday', '2026-13-01', '0', '2026-02-30T00:00:00Z'])
      (await api.get(`/api/v1/time/leaves?updated_since=${value}`)).is(400);
  },
});
