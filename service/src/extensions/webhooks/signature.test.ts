import { describe, expect, it } from '@jest/globals';
import { createSecret, signedHeaders } from './signature.js';

describe('a signature', () => {
  it('a webhook signature is that of the reference vector', () => {
    const headers = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, Buffer.from('{"test": 2432232314}'), [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ]);
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('a webhook signature is that of the example in the documents', () => {
    const body =
      '{"id":"evt_3f9a7c210000000a1fe000","type":"ping","timestamp":"2026-11-23T06:50:00Z","sequence":169861120,"epoch":"3f9a7c21","company_id":1,"data":{"extension":{"id":"ext_5T9WCP2H","name":"Schichtplan"}}}';
    expect(
      signedHeaders('evt_3f9a7c210000000a1fe000', 1_795_416_601, Buffer.from(body), [
        'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      ])['webhook-signature'],
    ).toBe('v1,wqHD7RpbY2UPbW85vaKD+uT6TjeqFrh8ZQKecr6EaVA=');
  });

  it('a webhook signature covers the bytes of the body, and appears twice during a secret rotation', () => {
    const [firstSecret, secondSecret] = [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      createSecret((size) => new Uint8Array(size).fill(7)),
    ];
    const sign = (secrets: readonly string[], body: string) =>
      signedHeaders('evt_1', 1, Buffer.from(body), secrets)['webhook-signature'];
    expect(sign([secondSecret, firstSecret], 'ä')).toBe(`${sign([secondSecret], 'ä')} ${sign([firstSecret], 'ä')}`);
    expect(new Set([sign([firstSecret], 'ä'), sign([secondSecret], 'ä'), sign([firstSecret], 'a')]).size).toBe(3);
  });

  it('a webhook signature uses 32 random bytes', () => {
    expect(createSecret((size) => new Uint8Array(size).fill(255))).toBe(
      `whsec_${Buffer.alloc(32, 255).toString('base64')}`,
    );
  });
});
