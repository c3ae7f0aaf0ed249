import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromHex, toHex } from '../simulator/bytes.js';
import { type CardFamily, factoryCard, readCardFile, writeCardFile } from '../simulator/card-file.js';
import { type Fault, UnknownFault, withFaults } from '../simulator/faults.js';
import type { RandomBytes } from './key.js';
import type { PlacedCard } from './reader/simulated.js';
import { createWhole, readIfThere, writeWhole } from './state-file.js';

/** Something is wrong with the name or the file of a simulated card. */
export class NoSuchCard extends Error {
  override readonly name = 'NoSuchCard';
}

/** Simulated cards as files, `<name>.json` in one folder; `<name>.said` has each one's answers of the last time. */
export interface CardFolder {
  /**
   * @param faults of this one time.
   * @throws {NoSuchCard}
   * @throws {UnknownFault} a conversation cannot be replayed before there was one.
   */
  open(name: string, faults?: readonly Fault[]): Promise<PlacedCard>;
  /**
   * Puts a card in factory state into the folder.
   * @returns the path of its file.
   * @throws {NoSuchCard} if there is one of that name already.
   */
  create(name: string, family: CardFamily, uid: Uint8Array): Promise<string>;
}

export function cardFolder(folder: string, random: RandomBytes): CardFolder {
  const pathOf = (name: string): string => {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name))
      throw new NoSuchCard(`a card's name is made of letters, digits, - and _: not ${JSON.stringify(name)}`);
    return join(folder, `${name}.json`);
  };
  return {
    async open(name, faults = []) {
      const path = pathOf(name.replace(/\.json$/, ''));
      let storedText = await readIfThere(path);
      if (storedText === undefined) throw new NoSuchCard(`there is no card ${path}`);
      const card = load(path, storedText, random);
      const conversationFile = path.replace(/\.json$/, '.said');
      const isReplay = faults.some(({ kind }) => kind === 'replay');
      const earlier = isReplay ? await readIfThere(conversationFile) : undefined;
      if (isReplay && earlier === undefined)
        throw new UnknownFault('replay needs a conversation to repeat: hold the card there once before');
      const cardWithFaults = withFaults(card, faults, random, earlier?.match(/\S+/g)?.map(fromHex));
      return {
        card: cardWithFaults,
        uid: cardWithFaults.uid,
        async store() {
          // For `replay`, also by another process. Nothing is lost with it.
          if (!isReplay)
            await writeFile(conversationFile, cardWithFaults.conversation.map((reply) => `${toHex(reply)}\n`).join(''));
          if (!cardWithFaults.kept) return;
          const text = writeCardFile(card);
          if (text === storedText) return;
          await writeWhole(path, text);
          storedText = text;
        },
      };
    },
    async create(name, family, uid) {
      const path = pathOf(name);
      if (!(await createWhole(path, writeCardFile(factoryCard(family, uid, random)))))
        throw new NoSuchCard(`there is a card ${path} already`);
      return path;
    },
  };
}

function load(path: string, text: string, random: RandomBytes): ReturnType<typeof readCardFile> {
  try {
    return readCardFile(text, random);
  } catch (error) {
    throw new NoSuchCard(`${path} is ${error instanceof Error ? error.message : String(error)}`);
  }
}
