/** Texts of the findings, in the reader's language. */

import type { components } from '../generated/service-types.js';
import { dayInLanguage, inLanguage } from '../people/language.js';
import type { Finding } from './rules.js';

export type Warning = components['schemas']['Warning'];

/** @param language BCP 47: German for `de` and its regions, English for everything else */
export function presentFinding(finding: Finding, language: string): Warning {
  const message = inLanguage(language, { de: german, en: english })(finding);
  return {
    code: finding.code,
    message,
    rule: finding.rule,
    ...(finding.days === undefined && !(finding.code === 'clock_out_missing' && finding.of !== undefined)
      ? { limit_minutes: finding.limitMinutes, actual_minutes: finding.actualMinutes }
      : {}),
  };
}

function german({ code, limitMinutes, actualMinutes, unbroken, atEdges, holiday, days, of }: Finding): string {
  const [limit, actual] = [germanTime(limitMinutes), germanTime(actualMinutes)];
  switch (code) {
    case 'daily_limit_near':
      return `${actual} sind mehr als ein regelmäßiger Arbeitstag; erlaubt sind höchstens ${limit}.`;
    case 'daily_limit_exceeded':
      return `An diesem Tag wurden ${actual} gearbeitet; erlaubt sind höchstens ${limit}.`;
    case 'break_missing':
      return unbroken === true
        ? `${actual} am Stück ohne Ruhepause; nach spätestens ${limit} ist eine nötig.`
        : `${actual} Ruhepause; vorgeschrieben sind ${limit}.${atEdges === true ? ' Pausen in der ersten und der letzten Stunde zählen nicht.' : ''}`;
    case 'rest_period_short':
      return `Zwischen Feierabend und Arbeitsbeginn lagen nur ${actual} Ruhezeit; vorgeschrieben sind ${limit}.`;
    case 'sunday_work':
      return 'Arbeit an einem Sonntag.';
    case 'holiday_work':
      return `Arbeit an einem Feiertag: ${holiday?.de}.`;
    case 'clock_out_missing':
      if (of !== undefined) return `Am ${dayInLanguage('de', of)} fehlt das Ausstempeln. Bitte die Zeit nachtragen.`;
      return `Seit ${actual} eingestempelt. Falls das Ausstempeln vergessen wurde, bitte eine Korrektur beantragen.`;
    case 'average_exceeded':
      return `Im Schnitt von 24 Wochen ${actual} je Werktag; erlaubt sind ${limit}.`;
    case 'night_average_exceeded':
      return `Nachtarbeit: im Schnitt von vier Wochen ${actual} je Werktag; erlaubt sind ${limit}.`;
    case 'free_sundays_short':
      return `In diesem Jahr können nur noch ${days?.actual} Sonntage frei bleiben; vorgeschrieben sind ${days?.limit}.`;
    case 'substitute_day_missing':
      return `Kein Ersatzruhetag für die Arbeit am ${dayInLanguage('de', of!)} innerhalb von ${days?.limit} Tagen.`;
    case 'shift_too_long':
      return `${actual} vom Beginn bis zum Ende der Arbeit, mit Pausen; erlaubt sind höchstens ${limit}.`;
    case 'saturday_work':
      return 'Arbeit an einem Samstag.';
    case 'night_work':
      return `${actual} Arbeit in Stunden des Abends oder der Nacht, in denen hier nicht gearbeitet werden darf.`;
    case 'week_limit_exceeded':
      return `In dieser Woche wurden ${actual} gearbeitet; erlaubt sind höchstens ${limit}.`;
    case 'long_day_not_offset':
      return `${actual} am ${dayInLanguage('de', of!)} sind mehr als ${limit}; das geht nur, wenn ein anderer Werktag der Woche kürzer ist.`;
    case 'week_days_exceeded':
      return `In dieser Woche wurde an ${days?.actual} Tagen gearbeitet; erlaubt sind ${days?.limit}.`;
    case 'two_weeks_limit_exceeded':
      return `In zwei Wochen wurden ${actual} gearbeitet; erlaubt sind höchstens ${limit}.`;
    case 'rest_not_made_up':
      return `Vor der Arbeit am ${dayInLanguage('de', of!)} nur ${actual} Ruhezeit, und keine andere von mindestens ${limit} gleicht das aus.`;
    case 'record_missing':
      return `Beginn und Ende der Arbeit müssen nach ${days?.limit} Tagen aufgezeichnet sein; hier fehlen sie.`;
  }
}

function english({ code, limitMinutes, actualMinutes, unbroken, atEdges, holiday, days, of }: Finding): string {
  const [limit, actual] = [englishTime(limitMinutes), englishTime(actualMinutes)];
  switch (code) {
    case 'daily_limit_near':
      return `${actual} of work are more than a regular day; at most ${limit} are allowed.`;
    case 'daily_limit_exceeded':
      return `${actual} of work on this day; at most ${limit} are allowed.`;
    case 'break_missing':
      return unbroken === true
        ? `${actual} without a rest break; one is due after ${limit} at the latest.`
        : `${actual} of rest breaks; ${limit} are required.${atEdges === true ? ' Breaks in the first and the last hour do not count.' : ''}`;
    case 'rest_period_short':
      return `Only ${actual} of rest since the last day's work; ${limit} are required.`;
    case 'sunday_work':
      return 'Work on a Sunday.';
    case 'holiday_work':
      return `Work on a public holiday: ${holiday?.en}.`;
    case 'clock_out_missing':
      if (of !== undefined) return `The clock-out of ${dayInLanguage('en', of)} is missing. Please add the time.`;
      return `Clocked in for ${actual}. If clocking out was forgotten, request a correction.`;
    case 'average_exceeded':
      return `${actual} per working day on average of 24 weeks; ${limit} are allowed.`;
    case 'night_average_exceeded':
      return `Night work: ${actual} per working day on average of four weeks; ${limit} are allowed.`;
    case 'free_sundays_short':
      return `Only ${days?.actual} Sundays of this year can stay free; ${days?.limit} are required.`;
    case 'substitute_day_missing':
      return `No substitute rest day for work on ${dayInLanguage('en', of!)} within ${days?.limit} days.`;
    case 'shift_too_long':
      return `${actual} from the beginning to the end of work, breaks included; at most ${limit} are allowed.`;
    case 'saturday_work':
      return 'Work on a Saturday.';
    case 'night_work':
      return `${actual} of work in evening or night hours in which none is allowed here.`;
    case 'week_limit_exceeded':
      return `${actual} of work in this week; at most ${limit} are allowed.`;
    case 'long_day_not_offset':
      return `${actual} on ${dayInLanguage('en', of!)} are more than ${limit}; that needs another workday of the week to be shorter.`;
    case 'week_days_exceeded':
      return `Work on ${days?.actual} days of this week; ${days?.limit} are allowed.`;
    case 'two_weeks_limit_exceeded':
      return `${actual} of work in two weeks; at most ${limit} are allowed.`;
    case 'rest_not_made_up':
      return `Only ${actual} of rest before work on ${dayInLanguage('en', of!)}, and no other of at least ${limit} makes up for it.`;
    case 'record_missing':
      return `Begin and end of work must be recorded within ${days?.limit} days; here they are missing.`;
  }
}

function germanTime(minutes: number): string {
  return spellTime(minutes, { hour: ['Stunde', 'Stunden'], minute: ['Minute', 'Minuten'], and: ' und ' });
}

function englishTime(minutes: number): string {
  return spellTime(minutes, { hour: ['hour', 'hours'], minute: ['minute', 'minutes'], and: ' and ' });
}

/** Each unit in singular and plural. */
interface TimeWords {
  readonly hour: readonly [string, string];
  readonly minute: readonly [string, string];
  readonly and: string;
}

function spellTime(total: number, { hour, minute, and }: TimeWords): string {
  const [hours, minutes] = [Math.floor(total / 60), total % 60];
  const parts = [
    ...(hours === 0 ? [] : [`${hours} ${hour[hours === 1 ? 0 : 1]}`]),
    ...(minutes === 0 && hours > 0 ? [] : [`${minutes} ${minute[minutes === 1 ? 0 : 1]}`]),
  ];
  return parts.join(and);
}
