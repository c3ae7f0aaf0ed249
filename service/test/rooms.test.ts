import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** What the order of imports (`.dependency-cruiser.mjs`) cannot say. */
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
const files = filesBelow(source).filter((file) => !file.includes('/generated/'));

describe('the house', () => {
  it('changes people in one place, which asks whether a month is closed', () => {
    const importers = files
      .filter((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^import \{([^}]*)\} from/gm)].some(([, names]) =>
          /\bsavePersonChange\b/.test(names!),
        ),
      )
      .map((file) => relative(source, file));
    expect(importers).toEqual(['working-time/change-person.ts']);
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
      'store/idempotency.ts',
      'store/installation.ts',
      'store/sealing/data-keys.ts',
      'inbox/approvals.ts',
      'absences/days.ts',
      'people/removals.ts',
      // The order of writes, and its locks.
      'store/position.ts',
      'store/write.ts',
      // The conditions of every list.
      'store/scope.ts',
      // What becomes of every table when somebody is erased.
      'hr/erasure.ts',
      'hr/kept-records.ts',
      'hr/personal-data.ts',
    ];
    expect(elsewhere.filter((file) => !known.includes(file) && !file.startsWith('store/migrations/'))).toEqual([]);
  });

  it('reads the clock, randomness and the environment only where everything is put together', () => {
    const allowed = ['service.ts', 'main.ts'];
    const guilty = files
      .filter((file) => /\bnew Date\(\)|Date\.now\(|Math\.random\(|process\.env\b/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(source, file));
    expect(guilty.filter((file) => !allowed.includes(file))).toEqual([]);
  });

  // A handler maps a request to a verb and its result to a response. What reaches several rooms is a verb of
  // the later one, which knows the order of locks; what belongs to one room is a verb of that room.
  describe('a handler', () => {
    const handlers = files.filter((file) => /[/-](api|app)\.ts$/.test(file));
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
        return names!.split(',').flatMap((entry) => {
          const [name, local = name] = entry.trim().split(' as ');
          return writersOf(path).has(name!) ? [{ local: local!, path: relative(source, path) }] : [];
        });
      });

    it('calls verbs, and writes no row, event or audit entry itself', () => {
      const guilty = handlers.flatMap((file) =>
        importedWriters(file)
          .filter(({ path }) => /(?:rows|audit\/audit|store\/events|idempotency)\.ts$/.test(path))
          .filter(({ local }) => local !== 'runOnce')
          .map(({ local, path }) => `${relative(source, file)} uses ${local} of ${path}`),
      );
      expect(guilty).toEqual([]);
      expect(handlers.filter((file) => importsOf(file).some((name) => /\.\.\/tables\.js$/.test(name)))).toEqual([]);
    });

    it('calls one verb in a transaction', () => {
      // A choice between verbs, of which one runs.
      const choices = ['clock/approvals-app.ts', 'access/oauth/api.ts'];
      // They wrap the verb: the first remembers the answer, the second takes the nonce of a terminal's request.
      const wrappers = ['runOnce', 'onceForNonce'];
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
