/** The files of the terminal agent and its simulated cards, and who may import whom. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** In the order in which they build on each other: each imports only what stands before it. */
const order = [
  'simulator/bytes.ts',
  'simulator/status.ts',
  'simulator/block-cipher.ts',
  'simulator/checksums.ts',
  'simulator/ev1-channel.ts',
  'simulator/ev2-channel.ts',
  'simulator/authentication.ts',
  'simulator/key-block.ts',
  'simulator/native-card.ts',
  'simulator/session.ts',
  'simulator/desfire.ts',
  'simulator/ntag424.ts',
  'simulator/card-file.ts',
  'simulator/faults.ts',
  'simulator/vpcd.ts',
  'src/generated',
  'src/sleep.ts',
  'src/state-file.ts',
  'src/host.ts',
  'src/config.ts',
  'src/config-file.ts',
  'src/key.ts',
  'src/request.ts',
  'src/registration.ts',
  'src/world.ts',
  'src/terminal-api.ts',
  'src/stored-status.ts',
  'src/offline/seal.ts',
  'src/offline/journal.ts',
  'src/offline/upload.ts',
  'src/pair.ts',
  'src/watch-status.ts',
  'src/choose-action.ts',
  'src/reader/reader.ts',
  'src/reader/simulated.ts',
  'src/reader/pcsc.ts',
  'src/reader/pcscd-socket.ts',
  'src/reader/load-binding.ts',
  'src/reader/nfc-pcsc.ts',
  'src/reader/smartcard.ts',
  'src/version.ts',
  'src/device-facts.ts',
  'src/dialogue.ts',
  'src/relay.ts',
  'src/door-text.ts',
  'src/card-folder.ts',
  'src/simulator-control.ts',
  'src/screen/machine.ts',
  'src/screen/view.ts',
  'src/screen/stage.ts',
  'src/screen/outcome.ts',
  'src/screen/server.ts',
  'src/screen/terminal.ts',
  'src/run.ts',
  'src/checks.ts',
  'src/main.ts',
];
const root = new URL('..', import.meta.url).pathname;
const cards = new URL('../../service/src/cards/', import.meta.url).pathname;

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [path] : [];
  });
}
const modulesOf = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/\bfrom '([^']+)';|^import '([^']+)';|\bimport\('([^']+)'\)/gm)].map(
    (match) => (match[1] ?? match[2] ?? match[3])!,
  );
const importsOf = (file: string) =>
  modulesOf(join(root, file))
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, join(root, file, '..', name)).replace(/\.js$/, '.ts'));

const files = ['src', 'simulator'].flatMap((folder) =>
  filesBelow(join(root, folder)).map((path) => relative(root, path)),
);
const placeOf = (file: string) => order.indexOf(file.startsWith('src/generated/') ? 'src/generated' : file);

describe('the files of the terminal agent', () => {
  it('all have a place in the order', () => {
    expect(files.filter((file) => placeOf(file) < 0)).toEqual([]);
    expect(files.length).toBeGreaterThan(30);
  });

  it('import only files before them, so that there is no cycle', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((other) => placeOf(other) >= placeOf(file))
        .map((other) => `${file} imports ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('import nothing of the service or the platform', () => {
    const foreign = files.flatMap((file) => [
      ...importsOf(file).filter((other) => other.startsWith('..')),
      ...modulesOf(join(root, file)).filter((name) => name.startsWith('@clockproof/')),
    ]);
    expect(foreign).toEqual([]);
  });
});

describe('the simulated cards', () => {
  it('use nothing but themselves, the ciphers and sockets of Node and a schema for their files, and the card dialogues of the service use nothing of them', () => {
    const outside = files
      .filter((file) => file.startsWith('simulator/'))
      .flatMap((file) => [
        ...importsOf(file).filter((other) => !other.startsWith('simulator/')),
        ...modulesOf(join(root, file)).filter(
          (name) => !name.startsWith('.') && !['node:crypto', 'node:net', 'zod'].includes(name),
        ),
      ]);
    expect(outside).toEqual([]);
    const dialogues = filesBelow(cards);
    expect(dialogues.length).toBeGreaterThan(5);
    expect(dialogues.flatMap(modulesOf).filter((name) => name.includes('simulator'))).toEqual([]);
  });
});
