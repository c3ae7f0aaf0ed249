import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { openSocket } from '../../peers/socket.js';
import { connect, envelope, judgeUpgrade, wsUrl } from '../support.js';

export default requirement({
  id: 'EVT-007',
  suite: 'events',
  level: 'must',
  says: 'A position of another history, or one that was not given out yet, is refused with 410 history_changed, wherever a position is taken.',
  async check(world) {
    const { api } = await world.extension();
    const position = (await envelope(api)).slice('evt_'.length);
    const places = [`ffffffff${position.slice(8)}`, `${position.slice(0, 8)}1fffffffffffff`];
    const now = Date.now().toString(16);
    const socket = await world.newExtension({ mode: 'websocket' });
    (await connect(world, socket, `?after=evt_${position}`)).close();
    for (const place of places) {
      for (const operation of world.contract.operations) {
        const names = world.contract.parametersOf(operation).map(({ name }) => name);
        const query = operation.id.startsWith('listRemoved')
          ? `since=s1_${place}_${now}`
          : names.includes('updated_since')
            ? `updated_since=s1_${place}`
            : operation.id === 'listEvents'
              ? `after=evt_${place}`
              : undefined;
        if (query !== undefined) (await api.get(`${operation.path}?${query}`)).is(410, 'history_changed');
      }
      const connection = await openSocket(
        wsUrl(world, `?after=evt_${place}`),
        { authorization: `Bearer ${socket.key}` },
        judgeUpgrade(world),
      );
      equal('refused' in connection ? connection.refused : 101, 410, 'the WebSocket');
    }
  },
});
