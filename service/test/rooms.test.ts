import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/**
 * The rooms of the house, in the order in which they may build on each other: a room imports only rooms before it. Those of
 * one layer may import each other: a write says its event and its entry in the audit log.
 */
const layers = [
  'tenant',
  ['audit', 'events', 'idempotency', 'store', 'tables.ts'],
  'sealing',
  'people',
  'mail',
  'notices',
  'extensions',
  'evaluations',
  'months',
  'approvals',
  'working-time',
  'absences',
  'clocking',
  'balances',
  'sheets',
  'payroll',
  'cards',
  'badges',
  'terminals',
  'sign-in',
  'oauth',
  'webhooks',
  'websocket',
  'erasure',
  'company-sign-in',
  'lifecycle',
  'integrations',
  'http',
  'operation',
].map((layer) => [layer].flat());
const rooms = layers.flat();
/** Files at the root: the words everybody uses, and those that put everything together. */
const first = ['ids.ts', 'refusal.ts', 'config.ts'];
const source = new URL('../src/', import.meta.url).pathname;

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory()
      ? filesBelow(path)
      : path.endsWith('.ts') && !path.endsWith('.test.ts')
        ? [path]
        : [];
  });
}

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^\s*(?:import|export)\b[^;]*?from '([^']+)';/gm)].map((match) => match[1]!);
const placeOf = (path: string) => {
  const [head] = path.split('/');
  if (head === 'generated' || first.includes(path)) return -1;
  // Commands put things together, as the files at the root do.
  const place = head === 'operation' ? layers.length : layers.findIndex((layer) => layer.includes(head!));
  return place < 0 ? layers.length : place;
};

const files = filesBelow(source).filter((file) => !file.includes('/generated/'));

describe('the house', () => {
  it('has no room that the order does not name', () => {
    const found = readdirSync(source).filter(
      (name) => statSync(join(source, name)).isDirectory() && !['generated', 'migrations'].includes(name),
    );
    expect(found.filter((name) => !rooms.includes(name))).toEqual([]);
  });

  it('imports only from rooms before', () => {
    const upward = files.flatMap((file) => {
      const own = relative(source, file);
      return importsOf(file)
        .filter((name) => name.startsWith('.'))
        .flatMap((name) => {
          const other = relative(source, join(file, '..', name)).replace(/\.js$/, '.ts');
          return placeOf(other) > placeOf(own) ? [`${own} imports ${other}`] : [];
        });
    });
    expect(upward).toEqual([]);
  });

  it('changes people in one place, which asks whether a month is closed', () => {
    const importers = files
      .filter((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^import \{([^}]*)\} from/gm)].some(([, names]) =>
          /\bsavePersonChange\b/.test(names!),
        ),
      )
      .map((file) => relative(source, file));
    expect(importers).toEqual(['months/change-person.ts']);
  });

  it('keeps SQL in rows.ts and migrations', () => {
    const elsewhere = files
      .filter(
        (file) =>
          /\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE)\s+[a-z_*]+\b[^']*\b(?:FROM|VALUES|SET|WHERE)\b/.test(
            readFileSync(file, 'utf8'),
          ) && !/rows[^/]*\.ts$/.test(file),
      )
      .map((file) => relative(source, file));
    // Rooms of one file need no second one for a statement or two; erasing is about the tables of every room.
    const known = [
      'idempotency/idempotency.ts',
      'installation.ts',
      'sealing/data-keys.ts',
      'approvals/approvals.ts',
      'absences/days.ts',
      // The order of writes, and its locks.
      'store/position.ts',
      'store/write.ts',
      // The conditions of every list.
      'tenant/scope.ts',
    ];
    expect(elsewhere.filter((file) => !known.includes(file) && !/^(erasure|migrations)\//.test(file))).toEqual([]);
  });

  it('reads the clock, randomness and the environment only where everything is put together', () => {
    const allowed = ['service.ts', 'main.ts'];
    const guilty = files
      .filter((file) => /\bnew Date\(\)|Date\.now\(|Math\.random\(|process\.env\b/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(source, file));
    expect(guilty.filter((file) => !allowed.includes(file))).toEqual([]);
  });

  it('knows HTTP only at the edge', () => {
    const guilty = files
      .filter((file) => importsOf(file).some((name) => ['express', 'openapi-backend', 'node:http'].includes(name)))
      .map((file) => relative(source, file));
    // The pages are files handed out as they are: there is no operation behind them.
    expect(guilty.filter((file) => file !== 'http/app/pages.ts')).toEqual([]);
  });

  // A handler maps a request to a verb and its result to a response. What reaches several rooms is a verb of
  // `lifecycle` or `integrations`, which knows the order of locks; what belongs to one room is a verb of that room.
  describe('a handler', () => {
    const handlers = files.filter((file) => relative(source, file).startsWith('http/'));
    const writing = new Map<string, Set<string>>();
    /** Exported functions of a file that take a transaction: they write, or lock. */
    const writersOf = (file: string) => {
      const known = writing.get(file) ?? new Set<string>();
      if (!writing.has(file)) {
        for (const [, name] of readFileSync(file, 'utf8').matchAll(
          /^export (?:async )?function (\w+)(?:<[^(]*>)?\(\s*(?:tx: (?:Transaction|Writing)|write: Write)\b/gm,
        ))
          known.add(name!);
        writing.set(file, known);
      }
      return known;
    };
    /** Writers a handler imports: the local name, and the file they come from. */
    const importedWriters = (file: string) =>
      [...readFileSync(file, 'utf8').matchAll(/^import \{([^}]*)\} from '(\.[^']+)';/gm)].flatMap(([, names, from]) => {
        const path = join(file, '..', from!).replace(/\.js$/, '.ts');
        if (relative(source, path).startsWith('http/')) return [];
        return names!.split(',').flatMap((entry) => {
          const [name, local = name] = entry.trim().split(' as ');
          return writersOf(path).has(name!) ? [{ local: local!, path: relative(source, path) }] : [];
        });
      });

    it('calls verbs, and writes no row, event or audit entry itself', () => {
      const guilty = handlers.flatMap((file) =>
        importedWriters(file)
          .filter(({ path }) => /(?:rows|audit\/audit|events\/events|idempotency)\.ts$/.test(path))
          .filter(({ local }) => local !== 'once')
          .map(({ local, path }) => `${relative(source, file)} uses ${local} of ${path}`),
      );
      expect(guilty).toEqual([]);
      expect(handlers.filter((file) => importsOf(file).some((name) => /\.\.\/tables\.js$/.test(name)))).toEqual([]);
    });

    it('calls one verb in a transaction', () => {
      // A choice between verbs, of which one runs.
      const choices = ['http/app/approvals.ts', 'http/api/oauth.ts'];
      // They wrap the verb: the first remembers the answer, the second takes the nonce of a terminal's request.
      const wrappers = ['once', 'onceForNonce'];
      const guilty = handlers
        .filter((file) => !choices.includes(relative(source, file)))
        .flatMap((file) => {
          const verbs = importedWriters(file).map(({ local }) => local);
          return transactionsIn(readFileSync(file, 'utf8'))
            .map((text) => verbs.filter((verb) => !wrappers.includes(verb) && new RegExp(`\\b${verb}\\(`).test(text)))
            .filter((called) => called.length > 1)
            .map((called) => `${relative(source, file)}: ${called.join(' and ')}`);
        });
      expect(guilty).toEqual([]);
    });
  });
});

/** The text of every `db.write(…)`. */
function transactionsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:db\.write|onceForNonce)\(/g)].map(({ index }) => {
    let depth = 0;
    for (let end = text.indexOf('(', index); ; end++) {
      if (text[end] === '(') depth++;
      if (text[end] === ')' && --depth === 0) return text.slice(index, end);
    }
  });
}
