/** What an app did in a person's name, as a sentence. */
const sentences: Readonly<Record<string, readonly [de: string, en: string]>> = {
  'clock.in': ['Eingestempelt', 'Clocked in'],
  'clock.out': ['Ausgestempelt', 'Clocked out'],
  'clock.break_start': ['Pause begonnen', 'Started a break'],
  'clock.break_end': ['Pause beendet', 'Ended a break'],
  'leave.requested': ['Abwesenheit beantragt', 'Asked for an absence'],
  'leave.changed': ['Abwesenheit geändert', 'Changed an absence'],
  'leave.withdrawn': ['Abwesenheit zurückgezogen', 'Withdrew an absence'],
  'leave.cancellation_requested': ['Stornierung einer Abwesenheit beantragt', 'Asked to cancel an absence'],
  'leave.approved': ['Abwesenheit eingetragen', 'Recorded an absence'],
  'leave.cancelled': ['Abwesenheit storniert', 'Cancelled an absence'],
  'link.opened': ['Verknüpft', 'Linked'],
  'link.ended': ['Verknüpfung beendet', 'Ended the link'],
};

/** @param language BCP 47; @param time `HH:MM`, where it is to be told */
export function describeAction(action: string, language: string, time?: string): string {
  const german = /^de\b/i.test(language);
  const sentence = sentences[action]?.[german ? 0 : 1] ?? action;
  return time === undefined ? sentence : german ? `${sentence} um ${time} Uhr` : `${sentence} at ${time}`;
}
