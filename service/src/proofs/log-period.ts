/** The name of the day in a commitment to the audit log. */
import type { LocalDate } from '@clockproof/platform/time/local-date';

const prefix = 'log-';

/** @param day in UTC @returns such as `log-2026-11-27` */
export const periodOfLog = (day: LocalDate): string => `${prefix}${day}`;

export const dayOfLog = (period: string): LocalDate => period.slice(prefix.length);
