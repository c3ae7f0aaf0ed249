import type { AppHandler } from '../http/handler.js';

export const followChanges: AppHandler<'followChanges'> = ({ live, cookies, caller, headers }) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  stream: live.follow(caller, cookies.session(headers)!),
});
