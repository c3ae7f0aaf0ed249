/** The text of `src/generated/tables.ts` in a package with tables. */
import type { Column, Table } from './read-tables.js';

/** Where a named type comes from, seen from `src/generated`, and the kind of column it stands for. */
export interface TypeSource {
  readonly kind: Column['kind'];
  readonly from: string;
}

/** A type, a meaning, or both. */
export interface KnownColumn {
  readonly type?: string;
  readonly means?: string;
}

/** What a schema cannot say about its columns: whose id it is, which words a text may be, what a value means. */
export interface ColumnTypes {
  readonly typeSources: Readonly<Record<string, TypeSource>>;
  /** Types of columns by their name, in whatever table. */
  readonly everywhere: Readonly<Record<string, string>>;
  /** Types of columns by the end of their name. */
  readonly endings: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, Readonly<Record<string, KnownColumn>>>>;
}

const plain = { integer: 'number', text: 'string', bytes: 'Uint8Array' } as const;

/** @throws {TypeError} `column-types.ts` names a column that is not there, or a type of another kind */
export function tablesModule(tables: readonly Table[], columnTypes: ColumnTypes): string {
  refuseUnknown(tables, columnTypes);
  const { typeSources } = columnTypes;
  const usedTypes = new Set<string>();
  const interfaces = tables.map((table) => {
    const columns = table.columns.map((column) => {
      const { type, means } = typeOf(columnTypes, table.name, column);
      for (const name of type.match(/\b[A-Z]\w*/g) ?? []) if (typeSources[name] !== undefined) usedTypes.add(name);
      return `${means === undefined ? '' : `  /** ${means} */\n`}  readonly ${column.name}: ${type}${column.nullable ? ' | null' : ''};\n`;
    });
    return `export interface ${interfaceName(table.name)} {\n${columns.join('')}}\n`;
  });
  const modules = new Set([...usedTypes].map((name) => typeSources[name]!.from));
  const imports = [...modules].toSorted().map((module) => {
    const names = [...usedTypes].filter((name) => typeSources[name]!.from === module);
    return `import type { ${names.toSorted().join(', ')} } from '${module}';\n`;
  });
  const defaults = tables.map(({ name, columns }) => {
    const filledColumns = columns.filter((column) => column.hasDefault).map((column) => `'${column.name}'`);
    return `  readonly ${name}: ${filledColumns.length === 0 ? 'never' : filledColumns.join(' | ')};\n`;
  });
  return `// Made by make generate from the migrations.
${imports.join('')}
${interfaces.join('\n')}
/** Rows by table. */
export interface Tables {
${tables.map(({ name }) => `  readonly ${name}: ${interfaceName(name)};\n`).join('')}}

/** Columns that the database fills in where an INSERT does not name them. */
export interface Defaults {
${defaults.join('')}}
`;
}

const interfaceName = (table: string) =>
  `${table.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Table`;

function typeOf(
  { typeSources, everywhere, endings, tables }: ColumnTypes,
  table: string,
  column: Column,
): { readonly type: string; readonly means: string | undefined } {
  const columnType = tables[table]?.[column.name];
  const ending = Object.keys(endings).find((end) => column.name.endsWith(end));
  const type =
    columnType?.type ??
    everywhere[column.name] ??
    (ending === undefined ? undefined : endings[ending]) ??
    plain[column.kind];
  const kind = typeSources[type]?.kind ?? kindOfText(type) ?? column.kind;
  if (kind !== column.kind) throw new TypeError(`${table}.${column.name} is ${column.kind}, ${type} is ${kind}`);
  return { type, means: columnType?.means };
}

/** The kind of column that a union of literals or a plain type is for. */
function kindOfText(type: string): Column['kind'] | undefined {
  if (type === 'string' || type.startsWith("'")) return 'text';
  return /^\d/.test(type) ? 'integer' : undefined;
}

function refuseUnknown(tables: readonly Table[], { everywhere, tables: tableTypes }: ColumnTypes): void {
  const columns = new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)));
  const typeNames = Object.entries(tableTypes).flatMap(([table, columnTypes]) =>
    Object.keys(columnTypes).map((name) => `${table}.${name}`),
  );
  const names = new Set([...columns].map((column) => column.split('.')[1]!));
  const unknown = [
    ...typeNames.filter((column) => !columns.has(column)),
    ...Object.keys(everywhere).filter((name) => !names.has(name)),
  ];
  if (unknown.length > 0) throw new TypeError(`column-types.ts names what is not in the schema: ${unknown.join(', ')}`);
}
