import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Desfire, Ntag424 } from '../peers/card.js';
import { open, publicBytes, seal } from '../peers/hpke.js';
import { proveFactoryCard, UnexpectedResponse } from '../roles/terminal/dialogue.js';
import { programDriver } from '../roles/terminal/driver.js';
import { formFault } from '../roles/terminal/forms.js';
import { terminalRequirements } from '../roles/terminal/requirements.js';
import { judgeTerminal, openTerminal, type TerminalUnderTest } from '../roles/terminal.js';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

describe('the role of the service towards a terminal', () => {
  let terminal: TerminalUnderTest | undefined;
  afterEach(() => terminal?.close());

  it("the terminal role finds nothing wrong with the product's own terminal", async () => {
    const source = [process.execPath, '--import', 'tsx'].join(' ');
    terminal = await openTerminal({
      driver: programDriver(
        `${source} ${file('../drivers/clockproof-terminal.ts')} ${source} ${file('../../terminal-agent/src/main.ts')}`,
        60,
      ),
    });
    for (const id of [
      'TAG-001',
      'TAG-043',
      'TAG-050',
      'TAG-010',
      'TAG-011',
      'TAG-012',
      'TAG-014',
      'TAG-020',
      'TAG-021',
    ]) {
      const requirement = terminalRequirements.find((requirement) => requirement.id === id)!;
      expect(
        await terminal.judge(
          id === 'TAG-020' || id === 'TAG-021' ? { ...requirement, check: async () => undefined } : requirement,
        ),
      ).toMatchObject({ id, outcome: 'passed' });
    }
    expect(terminal.bench.service.faults).toEqual([]);
  });

  it('the terminal role judges rules about every request by the requests after its turn', async () => {
    const source = [process.execPath, '--import', 'tsx'].join(' ');
    const drive = `${source} ${file('../drivers/clockproof-terminal.ts')} ${source} ${file('../../terminal-agent/src/main.ts')}`;
    const results = await judgeTerminal({
      drivers: [programDriver(drive, 60)],
      only: ['TAG-010', 'TAG-020', 'TAG-065'],
    });
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['TAG-010', 'passed'],
      ['TAG-020', 'passed'],
      ['TAG-065', 'passed'],
    ]);
  });

  it.each([
    ['DESFire', () => new Desfire()],
    ['NTAG 424 DNA', () => new Ntag424()],
  ])('the terminal role lets a %s from the factory prove that its bytes arrived unchanged', (_, newCard) => {
    const dialogue = (change: (response: string, index: number) => string) => {
      const card = newCard();
      const proof = proveFactoryCard();
      let next = proof.next();
      for (let index = 0; next.done !== true; index += 1) next = proof.next(change(card.transmit(next.value), index));
      return next.value.uid === card.uid;
    };
    expect(dialogue((response) => response)).toBe(true);
    const flip = (response: string) => `${response[0] === '0' ? '1' : '0'}${response.slice(1)}`;
    const last = newCard() instanceof Desfire ? 5 : 5;
    expect(() => dialogue((response, index) => (index === last ? flip(response) : response))).toThrow(
      UnexpectedResponse,
    );
    expect(() => dialogue((response, index) => (index === 1 ? response.slice(0, -2) : response))).toThrow(
      UnexpectedResponse,
    );
  });

  it('the terminal role knows the documented form of every request', () => {
    const fault = (operation: string, body: unknown, query = '', type = 'application/json') =>
      formFault(
        operation,
        new URLSearchParams(query),
        type,
        Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      );
    const card = 'POST /api/v1/terminal/card';
    const session = 'csn_0123456789abcdef';
    expect(fault(card, { uid: '04782E21801D80' })).toBeUndefined();
    expect(fault(card, { uid: '04782E21801D80', name: 'Ada' })).toBe('there is no member name');
    expect(fault(card, { uid: '04782E21801D8' })).toBe('uid is not of the documented form');
    expect(fault(card, { uid: '04782E21801D80' }, '', 'text/plain')).toBe('content-type is application/json');
    expect(fault('POST /api/v1/terminal/card/step', { session })).toBe('response is missing');
    expect(fault('POST /api/v1/terminal/card/step', { session, response: '9' })).toBe(
      'response is not of the documented form',
    );
    expect(fault('POST /api/v1/terminal/stamp', { session, action: 'in', pin: 12345 })).toBe(
      'pin is not of the documented form',
    );
    expect(fault('POST /api/v1/terminal/offline', { stamps: [{ number: 1, uid: '04782E21801D80' }] })).toBe(
      'stamps is not of the documented form',
    );
    expect(fault('POST /api/v1/terminal/offline', { stamps: [{ number: 1, sealed: 'AAAA' }] })).toBeUndefined();
    expect(fault('GET /api/v1/terminal/status', undefined, 'agent_version=1&reader=x')).toBeUndefined();
    expect(fault('GET /api/v1/terminal/status', undefined, 'reader=x&reader=y')).toBe('a parameter is given twice');
    expect(fault('GET /api/v1/terminal/people', undefined)).toBe('there is no such operation');
  });

  it('the terminal role opens a sealed message to it, for its terminal and number only', () => {
    const key = Buffer.alloc(32, 7);
    const sealedStamp = seal(publicBytes(key), 'trm_A\n42', '{"action":"in"}');
    expect(open(key, 'trm_A\n42', sealedStamp)).toBe('{"action":"in"}');
    expect(open(key, 'trm_A\n43', sealedStamp)).toBeUndefined();
    expect(open(Buffer.alloc(32, 8), 'trm_A\n42', sealedStamp)).toBeUndefined();
  });
});
