/** Members of JSON values by path, `data.0.id`, without trusting their shape. */
export function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  let found = value;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return found;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
