import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exchangeWith, readFaults, UnknownFault } from '../simulator/faults.js';
import { cardFolder, NoSuchCard } from './card-folder.js';

let folder: string;

const uid = Uint8Array.of(4, 1, 2, 3, 4, 5, 6);
const random = (length: number): Uint8Array => new Uint8Array(length).fill(9);
const createApplication = Uint8Array.from(Buffer.from('90ca0000053142540b8200', 'hex'));

describe('a folder of simulated cards', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terminal-cards-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('a simulated card keeps what is written to it, for the next start', async () => {
    const cards = cardFolder(folder, random);
    expect(await cards.create('ada', 'desfire-ev3', uid)).toBe(join(folder, 'ada.json'));
    const card = await cards.open('ada');
    exchangeWith(card.card, createApplication);
    await card.store();
    const copy = await cardFolder(folder, random).open('ada.json');
    expect(Buffer.from(exchangeWith(copy.card, createApplication).reply!).toString('hex')).toBe('91de');
    expect(copy.uid).toEqual(uid);
  });

  it('the folder writes only when something was written to the card', async () => {
    const cards = cardFolder(folder, random);
    const path = await cards.create('ada', 'ntag424', uid);
    const statBefore = await stat(path);
    const card = await cards.open('ada');
    exchangeWith(card.card, Uint8Array.from(Buffer.from('9060000000', 'hex')));
    await card.store();
    expect((await stat(path)).ino).toBe(statBefore.ino);
  });

  it('the folder opens a card with faults for one time, and keeps nothing of those who only play its part', async () => {
    const cards = cardFolder(folder, random);
    const path = await cards.create('ada', 'desfire-ev3', uid);
    const textBefore = await readFile(path, 'utf8');
    await expect(cards.open('ada', readFaults('replay'))).rejects.toThrow(UnknownFault);
    const copy = await cards.open('ada', readFaults('copy'));
    exchangeWith(copy.card, createApplication);
    await copy.store();
    expect(await readFile(path, 'utf8')).toBe(textBefore);
    const tornCard = await cards.open('ada', readFaults('torn:1'));
    expect(exchangeWith(tornCard.card, createApplication).reply).toBeUndefined();
    await tornCard.store();
    expect(await readFile(path, 'utf8')).toContain('314254');
    const playedCard = await cards.open('ada', readFaults('replay,random-uid'));
    expect([...playedCard.uid]).toEqual([8, 9, 9, 9]);
    // The torn card's answer was not received.
    expect(Buffer.from(exchangeWith(playedCard.card, createApplication).reply!).toString('hex')).toBe('91ca');
  });

  it('replays what a card said to another process, and what it said in its last visit only', async () => {
    await cardFolder(folder, random).create('ada', 'ntag424', uid);
    for (const command of ['9060000000', '00a4040007d276000085010100']) {
      const card = await cardFolder(folder, random).open('ada');
      exchangeWith(card.card, Uint8Array.from(Buffer.from(command, 'hex')));
      await card.store();
    }
    for (let time = 0; time < 2; time += 1) {
      const replay = await cardFolder(folder, random).open('ada', readFaults('replay'));
      const say = () => Buffer.from(exchangeWith(replay.card, createApplication).reply!).toString('hex');
      expect([say(), say()]).toEqual(['9000', '91ca']);
      await replay.store();
    }
  });

  it('never writes over a card', async () => {
    const cards = cardFolder(folder, random);
    const path = await cards.create('ada', 'ntag424', uid);
    const content = await readFile(path, 'utf8');
    await expect(cards.create('ada', 'desfire-ev1', uid)).rejects.toThrow(NoSuchCard);
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  it.each(['', '..', '../ada', 'a/b', '.hidden', 'a b', 'ada\u0000'])(
    'the folder has no card named %j',
    async (name) => {
      await expect(cardFolder(folder, random).open(name)).rejects.toThrow(/a card's name/);
    },
  );

  it('the folder says which card is missing or damaged', async () => {
    await expect(cardFolder(folder, random).open('emil')).rejects.toThrow(
      `there is no card ${join(folder, 'emil.json')}`,
    );
    await writeFile(join(folder, 'emil.json'), '{}');
    await expect(cardFolder(folder, random).open('emil')).rejects.toThrow(/emil\.json is not a card file/);
  });
});
