// Version 1 grows by addition: what a release promised, a later document still says. Redocly's comparison knows the
// direction of a schema; permissions, codes, values of open enums and variants of a union are compared here.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { withWholeObjects } from './all-of.mjs';
import { contractFolder } from './contract.mjs';
import { redocly } from './redocly.mjs';
import { operations, resolve, toPointerPart } from './walk.mjs';

export const releasedFolder = join(contractFolder, 'released');

/** The documents of the last release, by name; none before the first one. */
export function readReleased() {
  if (!existsSync(releasedFolder)) return new Map();
  return new Map(
    readdirSync(releasedFolder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(releasedFolder, file), 'utf8'))]),
  );
}

/**
 * Findings about a document that takes back, narrows or demands more than the released one.
 * @returns {Promise<{ at: string, message: string, rule: string }[]>}
 */
export async function withdrawals(released, document) {
  return [...(await breakingChanges(released, document)), ...lostWords(released, document)];
}

/** Changes that Redocly rates as breaking, and variants of a union that are gone, which it does not. */
async function breakingChanges(released, document) {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-released-'));
  try {
    // A folder without a configuration: any configuration, an empty one too, switches the ratings off.
    writeFileSync(join(folder, 'released.json'), JSON.stringify(withWholeObjects(released)));
    writeFileSync(join(folder, 'now.json'), JSON.stringify(withWholeObjects(document)));
    const { answer, output } = await redocly(['diff', 'released.json', 'now.json', '--format', 'json'], folder);
    const start = answer.indexOf('{');
    if (start < 0) throw new Error(`Redocly gave no comparison:\n${output}`);
    return JSON.parse(answer.slice(start)).changes.flatMap((change) => {
      const { path: at, kind, verdicts } = change;
      if (/\/(?:oneOf|anyOf)\/\d+$/.test(at)) {
        if (kind === 'removed') return [{ at, message: 'A variant was removed.', rule: 'variant-removed' }];
        if (kind === 'added' && mayGrow(document, change)) return [];
      }
      return verdicts
        .filter(({ impact }) => impact === 'major')
        .map(({ message, ruleId }) => ({ at, message, rule: ruleId }));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether an open variant stands beside the union, as OtherEvent beside KnownEvent. */
function mayGrow(document, { revision }) {
  const union = /^#\/components\/schemas\/Known(\w+)\/oneOf\/\d+$/.exec(revision.pointer);
  return union !== null && document.components.schemas[`Other${union[1]}`] !== undefined;
}

/** Words of ours that OpenAPI does not know: permissions, codes of refusals, documented values of open enums. */
export function* lostWords(released, document) {
  const now = new Map([...operations(document)].map(({ operation }) => [operation.operationId, operation]));
  for (const { operation: releasedOperation, pointer: at } of operations(released)) {
    const operation = now.get(releasedOperation.operationId);
    if (operation === undefined) continue;
    const [releasedScope, scope] = [releasedOperation['x-scope'], operation['x-scope']];
    if (scope !== releasedScope && typeof scope === 'string')
      yield {
        at,
        message: `The permission was ${releasedScope ?? 'none'} and is ${scope}.`,
        rule: 'permission-changed',
      };
    const ownScope = releasedOperation['x-own-scope'];
    if (ownScope !== undefined && scope !== null && operation['x-own-scope'] !== ownScope)
      yield { at, message: `${ownScope} no longer suffices for one's own records.`, rule: 'permission-changed' };
    for (const [status, codes] of codesByStatus(released, releasedOperation)) {
      const remainingCodes = codesByStatus(document, operation).get(status) ?? [];
      for (const code of codes.filter((code) => !remainingCodes.includes(code)))
        yield { at: `${at}/responses/${status}`, message: `The code ${code} was removed.`, rule: 'code-removed' };
    }
  }
  yield* lostValues(released, document, '');
}

/** Documented values that are gone from where they were; what is gone altogether, Redocly's comparison tells. */
function* lostValues(before, now, at) {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) return;
  for (const value of before['x-extensible-enum'] ?? [])
    if (!now['x-extensible-enum']?.includes(value))
      yield { at, message: `The value ${value} was removed.`, rule: 'value-removed' };
  const releasedDefault = before.default;
  // A member may be called default too: what stands there is a schema.
  if (releasedDefault !== undefined && typeof releasedDefault !== 'object' && now.default !== releasedDefault)
    yield {
      at,
      message: `The default was ${releasedDefault} and is ${now.default ?? 'none'}.`,
      rule: 'default-changed',
    };
  for (const [key, part] of Object.entries(before)) yield* lostValues(part, now[key], `${at}/${toPointerPart(key)}`);
}

/** The named examples of an operation's refusals. */
function codesByStatus(document, operation) {
  return new Map(
    Object.entries(operation.responses ?? {})
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => [
        status,
        Object.values(resolve(document, response).content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {})),
      ]),
  );
}
