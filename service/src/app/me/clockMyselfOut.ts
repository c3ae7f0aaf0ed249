import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { clockMyself } from './clock-myself.js';

export function clockMyselfOut({ db }: Pick<AppNeeds, 'db'>): Handler<operations['clockMyselfOut'], PersonCaller> {
  return (request) => clockMyself(db, 'out', request);
}
