import { connect } from 'node:net';
import { Breach, Inconclusive, Skipped } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-019',
  suite: 'security',
  level: 'must',
  says: 'Two Host lines and too many header lines are refused, and the service goes on answering.',
  covers: ['Malformed and too many headers are refused.'],
  async check(world) {
    const url = new URL(world.target.service.url);
    if (url.protocol !== 'http:') throw new Skipped('only without TLS, where nothing in front repairs the request');
    const send = (lines: readonly string[]) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(url.port || 80), url.hostname === 'localhost' ? '127.0.0.1' : url.hostname);
        let text = '';
        socket.setTimeout(10_000, () => socket.destroy());
        socket.on('data', (chunk) => {
          text += String(chunk);
        });
        socket.on('close', () => resolve(text));
        socket.on('error', reject);
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      });
    const get = 'GET /api/v1/status HTTP/1.1';
    const twoHosts = await send([get, `Host: ${url.host}`, 'Host: evil.example', 'Connection: close']);
    // A proxy may join or add a line of its own accord, and answers like a service that takes what it has to refuse.
    const needRefusal = (refusal: RegExp, subject: string, answer: string) => {
      if (refusal.test(answer)) return;
      if (answer === '') throw new Inconclusive(`${subject} not answered`);
      const message = `${subject} answered with ${answer.slice(0, 30)}`;
      if (world.target.service.direct === true && !/^(via|x-cache):/im.test(answer)) throw new Breach(message);
      throw new Inconclusive(
        `${message}, perhaps by a proxy; "direct": true at service in the target says there is none`,
      );
    };
    needRefusal(/^HTTP\/1\.1 400 /, 'two Host lines were', twoHosts);
    const manyLines = await send([
      get,
      `Host: ${url.host}`,
      ...Array.from({ length: 150 }, (_, index) => `X-${index}: 1`),
      'Connection: close',
    ]);
    needRefusal(/^HTTP\/1\.1 431 /, '150 header lines were', manyLines);
    const answerToEmpty = await send([get, 'Connection: close']);
    needRefusal(/^HTTP\/1\.1 400 /, 'no Host line was', answerToEmpty);
    (await world.open.get('/api/v1/status')).is(200);
  },
});
