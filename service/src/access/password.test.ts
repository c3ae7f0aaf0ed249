import { describe, expect, it } from '@jest/globals';
import { createPasswords, createQueue, passwordCost, refuseWeakPassword } from './password.js';

describe('passwords', () => {
  it('passwords are hashed with argon2id above the parameters of OWASP, which the hash contains', async () => {
    expect(passwordCost.memoryKiB).toBeGreaterThanOrEqual(19 * 1024);
    expect(passwordCost.passes).toBeGreaterThanOrEqual(2);
    const passwords = createPasswords();
    const stored = await passwords.hash('correct horse battery');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect([
      await passwords.verify(stored, 'correct horse battery'),
      await passwords.verify(stored, 'correct horse batterz'),
      passwords.isOutdated(stored),
    ]).toEqual([true, false, false]);
    expect(createPasswords({ memoryKiB: 131_072, passes: 3, lanes: 4 }).isOutdated(stored)).toBe(true);
  });

  it('a missing password matches nothing, although a hash is computed', async () => {
    const passwords = createPasswords({ memoryKiB: 8_192, passes: 1, lanes: 1 });
    for (const stored of [undefined, null]) expect(await passwords.verify(stored, 'correct horse battery')).toBe(false);
  });

  it.each([
    'short',
    'elevenchars',
    'password1234',
    'P@ssw0rd1234',
    'Passwort2026!',
    'qwertyuiop12',
    'aaaaaaaaaaaaaaaa',
    '123456789012',
    'abcdefghijklmnop',
    'abcabcabcabcabc',
    'AdaLang-2026!!',
    'clockproof2026',
    'Nordlicht1234',
    'iloveyou!!!!',
    'x'.repeat(257),
    'Sommer2026!Sommer',
    'correcthorsebatterystaple',
  ])('a password that programs guess first is refused: %s', (password) => {
    expect(() =>
      refuseWeakPassword(password, ['Ada', 'Lang', 'Nordlicht Logistik GmbH', 'ada@clockproof.example']),
    ).toThrow('password_refused');
  });

  it.each([
    'correct horse battery',
    'nine tame otters swim',
    'vT9#kq2Lw!zR',
    'Regenschirm auf Mallorca',
    'ÄÖÜ sind auch Zeichen',
  ])('a password may be %s', (password) => {
    expect(() => refuseWeakPassword(password, ['Ada', 'Lang'])).not.toThrow();
  });
});

describe('the queue of hashes', () => {
  it('the queue of hashes runs two at once, lets fifty wait and refuses the rest', async () => {
    const queued = createQueue(2, 50);
    let [running, most] = [0, 0];
    const order: number[] = [];
    const release: (() => void)[] = [];
    const tries = Array.from({ length: 60 }, (_, index) =>
      queued(async () => {
        most = Math.max(most, ++running);
        order.push(index);
        await new Promise<void>((resolve) => release.push(resolve));
        running--;
      }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
    );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (let step = 0; step < 60; step++) {
      await turn();
      release.shift()?.();
    }
    const outcomes = await Promise.all(tries);
    expect([
      outcomes.filter((outcome) => outcome === 'done').length,
      outcomes.filter((outcome) => outcome === 'rate_limited').length,
      most,
    ]).toEqual([52, 8, 2]);
    expect(order).toEqual(Array.from({ length: 52 }, (_, index) => index));
    await expect(
      queued(async () => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    expect(await queued(async () => 'free again')).toBe('free again');
  });
});
