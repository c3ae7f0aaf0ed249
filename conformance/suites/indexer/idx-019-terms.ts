import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensure, equal, Inconclusive, NotApplicable } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-019',
  suite: 'indexer',
  level: 'must',
  says: 'Without ACCEPT_TERMS=true the indexer logs a link to the terms, which can be read there, and exits with 78.',
  covers: [
    'Storage is an embedded file or a networked database.',
    'Settings name package, network, endpoint, storage, address, interval, senders and trusted proxies.',
    'With ACCEPT_TERMS other than true the indexer logs the link to the terms and exits.',
    'The interval is 60 seconds by default.',
  ],
  waits: true,
  limit: 90,
  async check({ indexerCommand: command }) {
    if (command === undefined)
      throw new NotApplicable('needs --indexer-command, the program and script that start the indexer');
    const [program, ...args] = command.split(' ');
    const base = { PATH: process.env['PATH'] ?? '', CHAIN_ANCHOR_PACKAGE: `0x${'1'.repeat(64)}` };
    const links = new Set<string>();
    for (const terms of [undefined, 'TRUE', 'yes', '1']) {
      const exit = await run(program!, args, terms === undefined ? base : { ...base, ACCEPT_TERMS: terms });
      equal(exit.code, 78, `exit code with ACCEPT_TERMS=${String(terms)}`);
      const link = /https?:\/\/[^\s"'\\]+/.exec(exit.output)?.[0];
      ensure(link !== undefined, 'no web address of the terms is logged');
      links.add(link);
    }
    for (const link of links) {
      const status = await fetch(link).then(
        (answer) => answer.status,
        (error: unknown) => String(error),
      );
      const message = `the terms at ${link}: ${status}`;
      ensure(status !== 404, message);
      if (status !== 200) throw new Inconclusive(message);
    }
    const badRun = await run(program!, args, { ...base, ACCEPT_TERMS: 'true', POLL_INTERVAL: '0s' });
    ensure(badRun.code !== 0 && badRun.output.includes('POLL_INTERVAL'), 'a bad POLL_INTERVAL is not named');
  },
});

/** @returns the exit code, and what was written */
async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      output += String(part);
    });
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw new Inconclusive(`${program} does not start: ${String(error)}`);
  })) as [number | null];
  if (code === null && output === '') throw new Inconclusive(`${program} said nothing within 20 s`);
  return { code, output };
}
