import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { clockMyself } from './clock-myself.js';

export function endMyBreak({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endMyBreak'], PersonCaller> {
  return (request) => clockMyself(db, 'break_end', request);
}
