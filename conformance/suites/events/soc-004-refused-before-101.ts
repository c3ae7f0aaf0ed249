import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { openSocket } from '../../peers/socket.js';
import { judgeUpgrade, wsUrl } from '../support.js';

export default requirement({
  id: 'SOC-004',
  suite: 'events',
  level: 'must',
  says: 'The upgrade is refused with 401 without a key, 403 in another mode, and a plain request with 426.',
  covers: ['Upgrades are refused with HTTP statuses: 401, 403, 410, 426.'],
  async check(world) {
    await world.needExtensions();
    const refusalOf = async (headers: Record<string, string>) => {
      const connection = await openSocket(wsUrl(world), headers, judgeUpgrade(world));
      return 'refused' in connection ? connection.refused : 101;
    };
    equal(await refusalOf({}), 401, 'without a key');
    const { key } = await world.extension();
    equal(await refusalOf({ authorization: `Bearer ${key}` }), 403, 'in mode API only');
    const socket = await world.newExtension({ mode: 'websocket' });
    (await socket.api.get('/api/v1/extension/connect')).is(426, 'upgrade_required');
  },
});
