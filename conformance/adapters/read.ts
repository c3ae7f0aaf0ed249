import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AdapterFactory } from '../kit/adapter.js';
import type { Target } from '../kit/target.js';

/**
 * The adapter that was asked for, otherwise that of the target.
 * @param file of the target. @returns undefined if neither names one: Clockproof's. @throws Error it cannot be loaded
 */
export async function readAdapter(
  option: string | undefined,
  { adapter: targetAdapter }: Target,
  file: string,
): Promise<AdapterFactory | undefined> {
  const module = option ?? (targetAdapter === undefined ? undefined : resolve(dirname(file), targetAdapter));
  if (module === undefined) return undefined;
  const { default: factory } = (await import(pathToFileURL(resolve(module)).href)) as { default?: AdapterFactory };
  if (typeof factory !== 'function') throw new Error(`${module} has no default export that makes an adapter`);
  return factory;
}
