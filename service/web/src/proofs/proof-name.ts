/** The name of a proof file: `2026-10-jana-brandt.clockproof`. */
export function nameOfProof(period: string, person: string, revision = 1): string {
  const name = person
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return `${[period, name, ...(revision === 1 ? [] : [revision])].filter((part) => part !== '').join('-')}.clockproof`;
}
