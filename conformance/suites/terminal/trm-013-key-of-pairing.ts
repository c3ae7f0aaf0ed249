import { randomBytes } from 'node:crypto';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { Terminal } from '../../peers/terminal.js';

export default requirement({
  id: 'TRM-013',
  suite: 'terminal',
  level: 'must',
  says: 'A signature with another key is refused, and looks exactly like an unknown terminal.',
  covers: ['Terminal requests are signed with Ed25519 and the key of pairing.'],
  async check(world) {
    const terminal = await world.terminal();
    const client = world.stranger();
    const forgedAnswer = (await new Terminal(client, terminal.id, randomBytes(32)).status()).is(
      401,
      'signature_invalid',
    );
    const unknownAnswer = (await new Terminal(client, 'trm_AAAAAAAA', randomBytes(32)).status()).is(
      401,
      'signature_invalid',
    );
    const [a, b] = [forgedAnswer, unknownAnswer].map(({ json }) => ({ ...(json as object), request_id: '' }));
    equal(a, b, 'the two refusals');
  },
});
