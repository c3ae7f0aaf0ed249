import { Refusal } from '../store/refusal.js';

/** The number in an id like `cor_12`, which has one spelling. @throws Refusal `not_found` nothing can have this id */
export function numberIn(id: string, prefix: 'apr' | 'cor' | 'hol' | 'sch' | 'spr' | 'sub' | 'ust'): number {
  const number = Number(id.slice(prefix.length + 1));
  if (!Number.isSafeInteger(number) || id !== `${prefix}_${number}`) throw new Refusal('not_found');
  return number;
}
