import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { openSocket } from '../../peers/socket.js';
import { judged, wsUrl } from '../support.js';

export default requirement({
  id: 'SOC-004',
  suite: 'events',
  level: 'must',
  says: 'The upgrade is refused with 401 without a key, 403 in another mode, and a plain request with 426.',
  covers: ['Upgrades are refused with HTTP statuses: 401, 403, 410, 426.'],
  async check(world) {
    await world.needExtensions();
    const refused = async (headers: Record<string, string>) => {
      const opened = await openSocket(wsUrl(world), headers, judged(world));
      return 'refused' in opened ? opened.refused : 101;
    };
    equal(await refused({}), 401, 'without a key');
    const { key } = await world.extension();
    equal(await refused({ authorization: `Bearer ${key}` }), 403, 'in mode API only');
    const socket = await world.newExtension({ mode: 'websocket' });
    (await socket.api.get('/api/v1/extension/connect')).is(426, 'upgrade_required');
  },
});
