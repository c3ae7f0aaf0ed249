import { spawnSync } from 'node:child_process';
import { ensure, equal, requirement, Skipped } from '../../kit/requirement.js';

export default requirement({
  id: 'IDX-019',
  suite: 'indexer',
  level: 'must',
  says: 'Without ACCEPT_TERMS=true the indexer logs a link to the terms, which can be read there, and exits with 78.',
  covers: ['L1.8', 'L7.1', 'L1.9', 'L1.7', 'L8.2'],
  async check() {
    const command = process.env['KIT_INDEXER_COMMAND'];
    if (command === undefined)
      throw new Skipped('needs KIT_INDEXER_COMMAND, the program and script that start the indexer, with its TERMS_URL');
    const [program, ...args] = command.split(' ');
    const links = new Set<string>();
    for (const terms of [undefined, 'TRUE', 'yes', '1']) {
      const env = {
        PATH: process.env['PATH'] ?? '',
        CHAIN_ANCHOR_PACKAGE: `0x${'1'.repeat(64)}`,
        ...(terms === undefined ? {} : { ACCEPT_TERMS: terms }),
      };
      const ended = spawnSync(program!, args, { env, encoding: 'utf8', timeout: 20_000 });
      equal(ended.status, 78, `exit code with ACCEPT_TERMS=${String(terms)}`);
      const link = /https?:\/\/[^\s"'\\]+/.exec(ended.stdout + ended.stderr)?.[0];
      ensure(link !== undefined, 'no web address of the terms is logged');
      links.add(link);
    }
    for (const link of links) equal((await fetch(link)).status, 200, `status of the terms at ${link}`);
    const bad = spawnSync(program!, args, {
      env: {
        PATH: process.env['PATH'] ?? '',
        ACCEPT_TERMS: 'true',
        CHAIN_ANCHOR_PACKAGE: `0x${'1'.repeat(64)}`,
        POLL_INTERVAL: '0s',
      },
      encoding: 'utf8',
      timeout: 20_000,
    });
    ensure(bad.status !== 0 && (bad.stdout + bad.stderr).includes('POLL_INTERVAL'), 'a bad POLL_INTERVAL is not named');
  },
});
