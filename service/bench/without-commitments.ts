/**
 * `node --import …/without-commitments.js`: closing a month as the service does, without the statement that commits to
 * it. The product has no switch for that.
 */
import { type LoadHook, register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// The same file, read again by the thread that loads modules.
if (isMainThread) register(import.meta.url);

export const load: LoadHook = async (url, context, nextLoad) => {
  const module = await nextLoad(url, context);
  if (!url.endsWith('/src/proofs/close-month.js')) return module;
  const sourceText = String(module.source);
  const source = sourceText.replace(/await commitMonth\([^;]*;/, '');
  if (source === sourceText) throw new Error(`${url} commits to no month`);
  return { ...module, source };
};
