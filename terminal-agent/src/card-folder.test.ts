import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exchangeWith, readFaults, UnknownFault } from '../simulator/faults.js';
import { cardFolder, NoSuchCard } from './card-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminal-cards-'));
});
afterEach(() => rm(folder, { recursive: true }));

const uid = Uint8Array.of(4, 1, 2, 3, 4, 5, 6);
const random = (length: number): Uint8Array => new Uint8Array(length).fill(9);
const createApplication = Uint8Array.from(Buffer.from('90ca0000053142540b8200', 'hex'));

describe('a folder of simulated cards', () => {
  it('keeps what is written to a card, for the next start', async () => {
    const cards = cardFolder(folder, random);
    expect(await cards.create('ada', 'desfire-ev3', uid)).toBe(join(folder, 'ada.json'));
    const placed = await cards.open('ada');
    exchangeWith(placed.card, createApplication);
    await placed.store();
    const again = await cardFolder(folder, random).open('ada.json');
    expect(Buffer.from(exchangeWith(again.card, createApplication).reply!).toString('hex')).toBe('91de');
    expect(again.uid).toEqual(uid);
  });

  it('writes only when something was written to the card', async () => {
    const cards = cardFolder(folder, random);
    const path = await cards.create('ada', 'ntag424', uid);
    const before = await stat(path);
    const placed = await cards.open('ada');
    exchangeWith(placed.card, Uint8Array.from(Buffer.from('9060000000', 'hex')));
    await placed.store();
    expect((await stat(path)).ino).toBe(before.ino);
  });

  it('opens a card with faults for one time, and keeps nothing of those who only play its part', async () => {
    const cards = cardFolder(folder, random);
    const path = await cards.create('ada', 'desfire-ev3', uid);
    const before = await readFile(path, 'utf8');
    await expect(cards.open('ada', readFaults('replay'))).rejects.toThrow(UnknownFault);
    const copy = await cards.open('ada', readFaults('copy'));
    exchangeWith(copy.card, createApplication);
    await copy.store();
    expect(await readFile(path, 'utf8')).toBe(before);
    const torn = await cards.open('ada', readFaults('torn:1'));
    expect(exchangeWith(torn.card, createApplication).reply).toBeUndefined();
    await torn.store();
    expect(await readFile(path, 'utf8')).toContain('314254');
    const played = await cards.open('ada', readFaults('replay,random-uid'));
    expect([...played.uid]).toEqual([8, 9, 9, 9]);
    // What the torn one said: nothing that was heard.
    expect(Buffer.from(exchangeWith(played.card, createApplication).reply!).toString('hex')).toBe('91ca');
  });

  it('replays what a card said to another process, and what it said in its last visit only', async () => {
    await cardFolder(folder, random).create('ada', 'ntag424', uid);
    for (const command of ['9060000000', '00a4040007d276000085010100']) {
      const placed = await cardFolder(folder, random).open('ada');
      exchangeWith(placed.card, Uint8Array.from(Buffer.from(command, 'hex')));
      await placed.store();
    }
    for (let time = 0; time < 2; time += 1) {
      const played = await cardFolder(folder, random).open('ada', readFaults('replay'));
      const say = () => Buffer.from(exchangeWith(played.card, createApplication).reply!).toString('hex');
      expect([say(), say()]).toEqual(['9000', '91ca']);
      await played.store();
    }
  });

  it('never writes over a card', async () => {
    const cards = cardFolder(folder, random);
    const path = await cards.create('ada', 'ntag424', uid);
    const content = await readFile(path, 'utf8');
    await expect(cards.create('ada', 'desfire-ev1', uid)).rejects.toThrow(NoSuchCard);
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  it.each(['', '..', '../ada', 'a/b', '.hidden', 'a b', 'ada\u0000'])('has no card named %j', async (name) => {
    await expect(cardFolder(folder, random).open(name)).rejects.toThrow(/a card's name/);
  });

  it('says which card is missing or damaged', async () => {
    await expect(cardFolder(folder, random).open('emil')).rejects.toThrow(
      `there is no card ${join(folder, 'emil.json')}`,
    );
    await writeFile(join(folder, 'emil.json'), '{}');
    await expect(cardFolder(folder, random).open('emil')).rejects.toThrow(/emil\.json is not a card file/);
  });
});
