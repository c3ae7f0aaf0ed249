/** Members of JSON values by path, `data.0.id`, without trusting their shape. */
export function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  let current = value;
  for (const step of path.split('.')) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, unknown>)[step];
  }
  return current;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
