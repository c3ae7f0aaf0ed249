import { expectRefusal } from '../../kit/adapter.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'WHK-010',
  suite: 'events',
  level: 'must',
  says: 'A webhook address must be https to a public host, or private only where that is allowed; user names and fragments are refused.',
  covers: ['Private webhook targets are refused unless allowed.'],
  async check(world) {
    const make = (webhook_url: string) =>
      world.newExtension({ mode: 'webhooks', scopes: ['read:clock_states'], webhook_url });
    for (const address of [
      'ftp://a.example/',
      'https://user:secret@a.example/',
      'https://a.example/#x',
      'https://224.0.0.1/',
      'https://[ff02::1]/',
      'https://0.0.0.0/',
      'nonsense',
    ])
      await expectRefusal(make(address), ['target_refused', 'invalid_request'], address);
  },
});
