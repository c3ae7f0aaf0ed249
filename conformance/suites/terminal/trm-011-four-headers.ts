import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-011',
  suite: 'terminal',
  level: 'must',
  says: 'A request without one of the four headers, or with a malformed one, is refused with 401.',
  covers: ['Four headers carry terminal, time, nonce and signature.'],
  async check(world) {
    const terminal = await world.terminal();
    const client = world.stranger();
    for (const name of ['service-terminal', 'service-time', 'service-nonce', 'service-signature']) {
      const { method, path, sent } = terminal.signRequest('GET', '/api/v1/terminal/status');
      const { [name]: _, ...otherHeaders } = { ...sent.headers };
      (await client.call(method, path, { headers: otherHeaders })).is(401, 'terminal_unknown');
    }
    for (const signing of [
      { nonce: 'short' },
      { nonce: 'x'.repeat(65) },
      { nonce: 'not base64url at all' },
      { time: '1e9' },
      { time: new Date().toISOString() },
    ])
      (
        await client.call(
          'GET',
          '/api/v1/terminal/status',
          terminal.signRequest('GET', '/api/v1/terminal/status', undefined, signing).sent,
        )
      ).is(401);
  },
});
