import { ensure } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'TRM-017',
  suite: 'terminal',
  level: 'must',
  says: 'A signature has one spelling: base64url, missing padding, hexadecimal and a second S are refused.',
  covers: ['Service-Time in seconds, nonce of 16 to 64 characters, signature in padded base64 with one spelling.'],
  async check(world) {
    const terminal = await world.terminal();
    const client = world.stranger();
    const order = (1n << 252n) + 27742317777372353535851937790883648493n;
    const spellings: ((right: Buffer) => string)[] = [
      (signature) => signature.toString('base64').replace(/=+$/, ''),
      (signature) => `${signature.toString('base64url')}==`,
      (signature) => signature.toString('hex'),
      (signature) => {
        const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
        const malleable = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
        return Buffer.concat([signature.subarray(0, 32), malleable]).toString('base64');
      },
    ];
    for (const [index, signature] of spellings.entries()) {
      const signedRequest = terminal.signRequest('GET', '/api/v1/terminal/status', undefined, { signature });
      const answer = await client.call(signedRequest.method, signedRequest.path, signedRequest.sent);
      ensure(index === 1 || answer.status === 401, `spelling ${index} was answered with ${answer.status}`);
    }
  },
});
