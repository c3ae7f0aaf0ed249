/**
 * The members that are set. For changes and scopes, in which an undefined member must not look like a set one: an
 * update leaves other columns as they are, a list is narrowed by no person who is undefined.
 */
export function defined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
