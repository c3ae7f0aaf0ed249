/** The settings of a company that are on or off: 0 and 1 in its row, false and true in contract and audit log. */
import type { Tables } from '../generated/tables.js';

type Row = Tables['companies'];
type Flag = { [Name in keyof Row]: Row[Name] extends 0 | 1 ? Name : never }[keyof Row];

/** A flag of the row that is missing here does not compile. */
const flags: Readonly<Record<Flag, true>> = { active: true, one_admin: true, record_duty: true };
const names = Object.keys(flags) as Flag[];

export const isFlag = (member: string): boolean => member in flags;

export function presentFlags(row: Pick<Row, Flag>): Record<Flag, boolean> {
  return Object.fromEntries(names.map((name) => [name, row[name] === 1])) as Record<Flag, boolean>;
}

/** A change with its flags as the row has them. */
export function storedFlags<Change extends { readonly [Name in Flag]?: boolean }>(
  change: Change,
): Omit<Change, Flag> & Partial<Pick<Row, Flag>> {
  const bits = names.filter((name) => change[name] !== undefined).map((name) => [name, change[name] === true ? 1 : 0]);
  return { ...change, ...Object.fromEntries(bits) } as never;
}
