import { type ApiCaller, callerKey } from '../people/caller.js';
import type { Source } from './stamp-decision.js';

export function sourceOf(caller: ApiCaller): Source & { readonly kind: 'personal_link' | 'extension' } {
  return { kind: caller.kind === 'link' ? 'personal_link' : 'extension', id: callerKey(caller), name: caller.name };
}
