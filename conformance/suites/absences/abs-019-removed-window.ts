import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'ABS-019',
  suite: 'absences',
  level: 'must',
  says: 'A since of more than 90 days ago is refused with 410 sync_window_exceeded, and since is required.',
  covers: ['Deleted absences are listed for 90 days.', 'A since older than 90 days answers 410.'],
  async check(world) {
    const { api } = await world.extension();
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    (await api.get(`/api/v1/time/leaves/removed?since=${ago(89)}`)).is(200);
    (await api.get(`/api/v1/time/leaves/removed?since=${ago(91)}`)).is(410, 'sync_window_exceeded');
    (await api.get('/api/v1/time/leaves/removed')).is(400, 'invalid_request');
  },
});
