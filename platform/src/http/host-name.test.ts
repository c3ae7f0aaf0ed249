import { describe, expect, it } from '@jest/globals';
import { isHostName } from './host-name.js';

describe('the host of a stored address', () => {
  it.each([
    'app.example',
    'app.example.',
    'localhost',
    'a--b.example',
    'my_service',
    '1.2.3.4',
    '[::1]',
    '[2606:4700::1111]',
    'xn--mller-kva.example',
    'xn--fa-hia.de',
    'xn--p1ai',
    `${'a'.repeat(63)}.example`,
    `${'a.'.repeat(126)}a`,
  ])('the host of a stored address may be %s', (hostname) => {
    expect(isHostName(hostname)).toBe(true);
  });

  it.each([
    '',
    '.',
    '.example',
    'a..example',
    'a.example..',
    '-a.example',
    'a-.example',
    'a!b.example',
    'a$b.example',
    'A.example',
    'müller.example',
    '[::1',
    '[fe80::1%eth0]',
    '[1.2.3.4]',
    'xn--',
    'xn--.example',
    'xn---',
    'xn--a',
    'xn--0.example',
    'xn--a-.example',
    'xn--ab-yz.example',
    'xn--zn7c.com',
    'xn--a-ecp.ru',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(126)}ab`,
  ])('the host of a stored address is not %j in any version of Node', (hostname) => {
    expect(isHostName(hostname)).toBe(false);
  });
});
