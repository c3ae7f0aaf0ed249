/**
 * No statement reads a table of a tenant without saying whose rows: a scope, or the id of a company, a person or the
 * row itself. Read from the source; the tables come from the migrated schema.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase } from '@clockproof/platform/testing/databases';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { migrations } from '../../src/store/migrations/migrations.js';

/** Reads across tenants, and why. */
const crossTenantReads: Readonly<Record<string, string>> = {
  'store/audit/rows.ts entriesAfter': 'the whole log is sealed and verified',
  'store/audit/rows.ts eventsWithoutEntry': 'the whole log is verified; positions and no row',
  'store/audit/rows.ts findKeyReplacement': 'a position and no row',
  'store/audit/rows.ts findSigningStart': 'a position and no row',
  'clock/rows.ts listClockedInAfterLastDay': "each clock ends at its own person's last day",
  'clock/rows.ts listEntriesWithoutReminder': 'each person gets a notice of their own entry',
  'access/company-sign-in/rows.ts anyProviderEnabled': 'whether any company signs in this way; yes or no',
  'access/company-sign-in/rows.ts isAddressTaken': 'addresses are unique in the installation; yes or no',
  'access/company-sign-in/rows.ts isDomainTaken': 'domains are unique in the installation; yes or no',
  'access/company-sign-in/rows.ts listSealedProviders': 'what a lost DATA_KEY takes along; ids only',
  'store/event-rows.ts extensionsWithOwnEvents': 'which extensions have events of their own; ids only',
  'store/event-rows.ts lastSequenceBefore': 'a position and no row',
  'working-time/evaluation-rows.ts stampsShownTo': 'a condition of a search that has a scope; hides rows only',
  'proofs/anchor-rows.ts listOverdueWithoutNotice': "each company's admins hear of their own months",
  'proofs/rows.ts findLogCommitment': 'the log is the installation’s',
  'proofs/rows.ts listLogCommitmentsWithoutHead': 'the whole log is verified; periods and no row',
  'proofs/rows.ts listMonthCommitments': 'every month is verified',
  'proofs/rows.ts listMonthsWithoutCommitment': 'every month is verified; months and no row',
  'extensions/rows.ts listExtensionRows': 'extensions are the installation’s; super admins only',
  'extensions/rows.ts isNameTaken': 'names are unique in the installation; no row leaves',
  'inbox/mail/rows.ts nextDue': 'e-mails of the installation are sent one after the other',
  'access/oauth/rows.ts countLinksToEnd':
    'a number; links end by extension, company or person, or when links are switched off',
  'access/oauth/rows.ts deleteTokensOfLinks': 'housekeeping',
  'access/oauth/rows.ts endLinkRows': 'links end by extension, company or person, or when links are switched off',
  'access/oauth/rows.ts stripWriteScopes': 'writing is switched off for the installation',
  'people/rows.ts activeSuperAdmins': 'super admins are the installation’s',
  'people/rows.ts personWith': 'addresses are unique in the installation; an id for comparison',
  'access/rows.ts superAdminExists': 'whether the installation is set up; yes or no',
  'store/position.ts listEntriesBeforeEpochs': 'where the history of the installation was set back',
  'store/position.ts newestPlace': 'a position and no row',
  'store/position.ts settledPosition': 'a position and no row',
  'terminals/rows.ts isKeyTaken': 'a public key is one terminal’s in the installation; yes or no',
  'extensions/webhooks/delivery-rows.ts endpointsWithWork': 'deliveries are sent for every extension; ids only',
  'extensions/webhooks/delivery-rows.ts inActiveCompany': 'a condition on deliveries; its statements say whose',
  'extensions/socket/rows.ts connectedKeys': 'the keys of the connections of this process, each checked for itself',
};

const source = new URL('../../src/', import.meta.url).pathname;

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return ['generated', 'migrations'].includes(name) ? [] : filesBelow(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [path] : [];
  });
}

/** The text of a literal, without parts that a condition may leave out: they keep nobody out. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node) && constants.has(node.text)) return textOf(constants.get(node.text)!, constants);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textOf(node.expression, constants);
  if (ts.isConditionalExpression(node)) {
    const branches = [node.whenTrue, node.whenFalse].map((branch) => textOf(branch, constants));
    return branches.includes('') ? '' : branches.join(' ');
  }
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, span) => text + textOf(span.expression, constants) + span.literal.text,
      node.head.text,
    );
  return `{${node.getText()}}`;
}

interface Statement {
  /** `room/file.ts function` */
  readonly place: string;
  readonly sql: string;
  /** Whether `{sql}` in it comes from a tenant scope. */
  readonly isScoped: boolean;
}

function statementsOf(path: string, text: string): Statement[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const statements: Statement[] = [];
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer !== undefined) constants.set(name.text, initializer);
  }
  for (const statement of file.statements) {
    const name = ts.isFunctionDeclaration(statement) ? (statement.name?.text ?? '') : '';
    const body = statement.getText();
    const locals = new Map(constants);
    (function visit(node: ts.Node): void {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
        locals.set(node.name.text, node.initializer);
      if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
        const sql = textOf(node, locals);
        if (/\bSELECT\b/.test(sql))
          statements.push({
            place: `${path} ${name}`,
            sql,
            isScoped: /\{sql\}/.test(sql) && /\bsql\b[^;]*= within\(scope, /.test(body),
          });
        return;
      }
      ts.forEachChild(node, visit);
    })(statement);
  }
  // A constant is part of a statement; it is none itself.
  return statements.filter(({ place }) => !place.endsWith(' '));
}

/** `person_id = :personId`, `id IN (…)`: the row, or whose it is. */
const tenantCondition = /\b(?:id|\w+_id|hash|\w+_hash|lookup|party|email) (?:= :|= p\.|IN \((?!SELECT))/;

describe('statements', () => {
  let tenantTables: string[];
  beforeAll(async () => {
    const home = await createTestDatabase('sqlite', migrations);
    const db = await openDatabase(home.settings);
    const rows = await db.all<{ name: string }>(
      "SELECT DISTINCT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name IN ('company_id', 'person_id')",
    );
    tenantTables = rows.map(({ name }) => name);
    await db.close();
    await home.drop();
  });

  const unscopedStatementsIn = (path: string, text: string) =>
    statementsOf(path, text).filter(({ sql, isScoped }) => {
      const tables = [...sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)].map((match) => match[1]!);
      return tables.some((table) => tenantTables.includes(table)) && !isScoped && !tenantCondition.test(sql);
    });

  it('statements read tenant tables only within a tenant', () => {
    expect(tenantTables).toEqual(expect.arrayContaining(['people', 'absences', 'time_entries', 'events', 'removals']));
    const unscopedStatements = filesBelow(source).flatMap((path) =>
      unscopedStatementsIn(relative(source, path), readFileSync(path, 'utf8')),
    );
    expect([...new Set(unscopedStatements.map(({ place }) => place))].sort()).toEqual(
      Object.keys(crossTenantReads).sort(),
    );
  });

  it.each([
    ['everybody', 'return reader.all(`SELECT * FROM people WHERE active = 1`, {});', true],
    [
      'a company, if there is one',
      "return reader.all(`SELECT * FROM people WHERE active = 1 §{companyId === null ? '' : 'AND company_id = :companyId'}`);",
      true,
    ],
    ['everybody, by a constant', 'return reader.all(`§{columns} WHERE p.id > :afterId`, {});', true],
    [
      'everybody, with a scope that is not used',
      "const { sql } = within(scope, { company: 'company_id' }); return reader.all('SELECT * FROM people WHERE id > 0');",
      true,
    ],
    [
      'everybody, with a condition from elsewhere',
      "const sql = ''; return reader.all(`SELECT * FROM people WHERE id > 0 §{sql}`);",
      true,
    ],
    [
      'those in a scope',
      "const { sql, parameters } = within(scope, { company: 'company_id' }); return reader.all(`SELECT * FROM people WHERE id > 0 §{sql}`, parameters);",
      false,
    ],
    ['one person', "return reader.get('SELECT * FROM people WHERE id = :id', { id });", false],
    ['a company', "return reader.all('SELECT * FROM absences WHERE company_id = :companyId', { companyId });", false],
    ['no tenant', "return reader.all('SELECT * FROM companies', {});", false],
  ])('the tenant guard detects statements that read %s', (_, body, isUnscoped) => {
    const columns = 'const columns = `SELECT p.* FROM people p`;';
    const text = `${columns}\nexport function list(reader, scope, companyId) { ${body.replaceAll('§', '$')} }`;
    expect(unscopedStatementsIn('room/rows.ts', text).length > 0).toBe(isUnscoped);
  });
});
