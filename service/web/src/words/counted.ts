/** A sentence about one thing, or about any other number of them. English and German need no third form. */
export function counted(count: number, singular: string, plural: string): string {
  return count === 1 ? singular : plural;
}
