import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { clockMyself } from './clock-myself.js';

export function startMyBreak({ db }: Pick<AppNeeds, 'db'>): Handler<operations['startMyBreak'], PersonCaller> {
  return (request) => clockMyself(db, 'break_start', request);
}
