import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-012',
  suite: 'terminal',
  level: 'must',
  says: 'The signature covers label, method, path, time, nonce and body: a request that differs in one of them is refused.',
  covers: [
    'The signed text is the label, method, path, time, nonce and body hash, joined by line feeds.',
    'The signed text carries the label service-terminal-v1.',
  ],
  async check(world) {
    const terminal = await world.terminal();
    const client = world.stranger();
    const send = (signing: Parameters<typeof terminal.signRequest>[3], path = '/api/v1/terminal/card') => {
      const signedRequest = terminal.signRequest('POST', path, { uid: '04782e21801d80' }, signing);
      return client.call(signedRequest.method, signedRequest.path, signedRequest.sent);
    };
    (await send({ method: 'GET' })).is(401, 'signature_invalid');
    (await send({ path: '/api/v1/terminal/stamp' })).is(401, 'signature_invalid');
    (await send({ body: '{"uid":"04782e21801d81"}' })).is(401, 'signature_invalid');
    (await send({ body: '{"uid": "04782e21801d80"}' })).is(401, 'signature_invalid');
    const movedRequest = terminal.signRequest('GET', '/api/v1/terminal/status');
    (await client.call('GET', '/api/v1/terminal/status?reader=x', movedRequest.sent)).is(401, 'signature_invalid');
    const timedRequest = terminal.signRequest('GET', '/api/v1/terminal/status');
    const laterHeaders = {
      ...timedRequest.sent.headers,
      'service-time': String(Number(timedRequest.sent.headers?.['service-time']) + 1),
    };
    (await client.call('GET', '/api/v1/terminal/status', { headers: laterHeaders })).is(401, 'signature_invalid');
  },
});
