import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/app-types.js';
import type { PersonCaller } from '../people/caller.js';
import type { Cookies } from './cookies.js';
import type { Live } from './live.js';

export function followChanges({
  live,
  cookies,
}: {
  readonly live: Live;
  readonly cookies: Cookies;
}): Handler<operations['followChanges'], PersonCaller> {
  return ({ caller, headers }) => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
    stream: live.follow(caller, cookies.session(headers)!),
  });
}
