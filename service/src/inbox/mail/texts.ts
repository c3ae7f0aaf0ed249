/** Texts of e-mails in German and English: plain text, and the same as simple HTML. */
import type { components } from '../../generated/app-types.js';
import { inLanguage } from '../../people/language.js';

export interface Letter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link: { readonly label: string; readonly url: string };
}

interface Text {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly label: string;
}

/** Kinds of notices with their texts and the page with details; {@link accessTexts} has those about access. */
export const noticeTexts = {
  webhooks_disabled: {
    path: '/notices',
    de: {
      subject: 'Zustellungen an eine Erweiterung wurden abgeschaltet',
      paragraphs: ['Clockproof stellt einer Erweiterung keine Ereignisse mehr zu. Prüfen Sie ihre Adresse.'],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'Deliveries to an extension were switched off',
      paragraphs: ['Clockproof has stopped delivering events to an extension. Check its address.'],
      label: 'Open notices',
    },
  },
  proofs_stopped: {
    path: '/admin/terminals',
    de: {
      subject: 'Ein Terminal nimmt keine Ausweise mehr an',
      paragraphs: [
        'Mehrere Ausweise konnten sich an einem Terminal nicht ausweisen. Es nimmt keine mehr an, bis Sie es fortsetzen.',
      ],
      label: 'Terminals öffnen',
    },
    en: {
      subject: 'A terminal no longer accepts badges',
      paragraphs: ['Several badges failed to prove their keys at a terminal. It accepts none until you resume it.'],
      label: 'Open terminals',
    },
  },
  key_copied: {
    path: '/admin/terminals',
    de: {
      subject: 'Zwei Geräte benutzen den Schlüssel eines Terminals',
      paragraphs: [
        'Eine Festplatte wurde kopiert, oder jemand hat den Schlüssel. Das Terminal nimmt keine Ausweise an, bis Sie es neu koppeln.',
      ],
      label: 'Terminals öffnen',
    },
    en: {
      subject: 'Two devices use the key of a terminal',
      paragraphs: [
        'A disk was copied, or someone has the key. The terminal accepts no badges until you pair it again.',
      ],
      label: 'Open terminals',
    },
  },
  badge_failing: {
    path: '/notices',
    de: {
      subject: 'Ein Ausweis wird immer wieder abgelehnt',
      paragraphs: [
        'Karten mit der Nummer eines Ausweises wurden an einem Terminal zehnmal abgelehnt. Wessen Ausweis und wo, steht bei Ihren Hinweisen.',
      ],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'A badge keeps failing',
      paragraphs: [
        'Cards with the number of one badge failed ten times at a terminal. Your notices say whose badge, and where.',
      ],
      label: 'Open notices',
    },
  },
  request_decided: {
    path: '/notices',
    de: {
      subject: 'Über Ihren Antrag wurde entschieden',
      paragraphs: ['Einer Ihrer Anträge wurde genehmigt oder abgelehnt. Was und wie, steht bei Ihren Hinweisen.'],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'Your request was decided',
      paragraphs: ['One of your requests was approved or rejected. Your notices say which, and how.'],
      label: 'Open notices',
    },
  },
  request_waiting: {
    path: '/team/approvals',
    de: {
      subject: 'Ein Antrag wartet auf Ihre Entscheidung',
      paragraphs: ['Jemand, über dessen Anträge Sie entscheiden, hat einen neuen gestellt.'],
      label: 'Genehmigungen öffnen',
    },
    en: {
      subject: 'A request is waiting for your decision',
      paragraphs: ['Somebody whose requests you decide has made a new one.'],
      label: 'Open approvals',
    },
  },
  month_reopened: {
    path: '/notices',
    de: {
      subject: 'Ein abgeschlossener Monat ist wieder offen',
      paragraphs: [
        'Ein abgeschlossener Monat wurde wieder geöffnet. Seine Zeiten und Ihr Saldo können sich noch ändern. Welcher Monat und warum, steht bei Ihren Hinweisen.',
      ],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'A closed month is open again',
      paragraphs: [
        'A closed month was re-opened. Its times and your balance may still change. Your notices say which month, and why.',
      ],
      label: 'Open notices',
    },
  },
  proof_overdue: {
    path: '/notices',
    de: {
      subject: 'Ein abgeschlossener Monat ist nicht auf dem Ledger bestätigt',
      paragraphs: [
        'Ein abgeschlossener Monat wurde nicht innerhalb eines Tages auf dem öffentlichen Ledger bestätigt. Bitte prüfen Sie den Ankerdienst. Welcher Monat, steht bei Ihren Hinweisen.',
      ],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'A closed month is not confirmed on the ledger',
      paragraphs: [
        'A closed month was not confirmed on the public ledger within a day. Please check the anchor service. Your notices say which month.',
      ],
      label: 'Open notices',
    },
  },
  proof_contradicted: {
    path: '/notices',
    de: {
      subject: 'Ein Beweis Ihres Monats wird bestritten',
      paragraphs: [
        'Ein Index findet auf dem öffentlichen Ledger etwas anderes, als zu einem abgeschlossenen Monat gemeldet wurde. Welcher Monat, steht bei Ihren Hinweisen.',
      ],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'A proof of your month is contradicted',
      paragraphs: [
        'An index finds something else on the public ledger than what was reported of a closed month. Your notices say which month.',
      ],
      label: 'Open notices',
    },
  },
  log_overdue: {
    path: '/notices',
    de: {
      subject: 'Das Prüfprotokoll ist nicht auf dem Ledger bestätigt',
      paragraphs: [
        'Das Prüfprotokoll eines Tages wurde nicht innerhalb eines Tages auf dem öffentlichen Ledger bestätigt. Bitte prüfen Sie den Ankerdienst. Welcher Tag, steht bei Ihren Hinweisen.',
      ],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'The audit log is not confirmed on the ledger',
      paragraphs: [
        'The audit log of a day was not confirmed on the public ledger within a day. Please check the anchor service. Your notices say which day.',
      ],
      label: 'Open notices',
    },
  },
  log_contradicted: {
    path: '/notices',
    de: {
      subject: 'Ein Anker des Prüfprotokolls wird bestritten',
      paragraphs: [
        'Ein Index findet auf dem öffentlichen Ledger etwas anderes, als zum Prüfprotokoll eines Tages gemeldet wurde. Welcher Tag, steht bei Ihren Hinweisen.',
      ],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'An anchor of the audit log is contradicted',
      paragraphs: [
        'An index finds something else on the public ledger than what was reported of the audit log of a day. Your notices say which day.',
      ],
      label: 'Open notices',
    },
  },
  proofs_to_keep: {
    path: '/profile/proofs',
    de: {
      subject: 'Laden Sie Ihre Beweise herunter, bevor Sie gehen',
      paragraphs: [
        'Ihr letzter Arbeitstag ist nah. Sobald Ihr Konto stillgelegt ist, können Sie sich nicht mehr anmelden. Laden Sie die Dateien Ihrer abgeschlossenen Monate herunter, und notieren Sie die Kennungen. Für Monate, die erst danach abgeschlossen werden, gibt Ihnen Ihre Administration einen Link.',
      ],
      label: 'Meine Beweise öffnen',
    },
    en: {
      subject: 'Download your proofs before you leave',
      paragraphs: [
        'Your last day is near. Once your account is deactivated, you can no longer sign in. Download the files of your closed months, and note the tokens. Your administration can give you a link for months that are closed later.',
      ],
      label: 'Open my proofs',
    },
  },
  link_ended: {
    path: '/profile/linked-apps',
    de: {
      subject: 'Eine Verknüpfung wurde beendet',
      paragraphs: [
        'Eine App, die Sie verknüpft hatten, kann nicht mehr auf Ihr Konto zugreifen. Welche und warum, steht bei Ihren Hinweisen.',
      ],
      label: 'Verknüpfte Apps öffnen',
    },
    en: {
      subject: 'A link to an app has ended',
      paragraphs: ['An app that you had linked can no longer access your account. Your notices say which, and why.'],
      label: 'Open linked apps',
    },
  },
  clock_out_missing: {
    path: '/',
    de: {
      subject: 'Haben Sie das Ausstempeln vergessen?',
      paragraphs: ['An einem früheren Tag fehlt Ihr Ausstempeln. Tragen Sie nach, wann Sie gegangen sind.'],
      label: 'Nachtragen',
    },
    en: {
      subject: 'Did you forget to clock out?',
      paragraphs: ['Your clock-out of an earlier day is missing. Enter when you left.'],
      label: 'Add the time',
    },
  },
  time_corrected: {
    path: '/notices',
    de: {
      subject: 'Ihre Arbeitszeit wurde korrigiert',
      paragraphs: ['Jemand hat Ihre Arbeitszeit korrigiert. Welche Tage, wer und warum, steht bei Ihren Hinweisen.'],
      label: 'Hinweise öffnen',
    },
    en: {
      subject: 'Your working time was corrected',
      paragraphs: ['Somebody has corrected your working time. Your notices say which days, who, and why.'],
      label: 'Open notices',
    },
  },
  stamp_unresolved: {
    path: '/time/corrections',
    de: {
      subject: 'Ein Stempel von Ihnen ist noch nicht eingetragen',
      paragraphs: [
        'Ein Terminal hatte keine Verbindung, als Sie gestempelt haben. Der Stempel ist angekommen, wird aber erst eingetragen, wenn jemand darüber entschieden hat.',
      ],
      label: 'Stempel ansehen',
    },
    en: {
      subject: 'A stamp of yours is not recorded yet',
      paragraphs: [
        'A terminal had no connection when you stamped. The stamp has arrived, but it is recorded only after somebody has decided about it.',
      ],
      label: 'Open stamps',
    },
  },
  stamp_undecided: {
    path: '/team/unresolved-stamps',
    de: {
      subject: 'Ein Stempel braucht Ihre Entscheidung',
      paragraphs: [
        'Ein Terminal hat ohne Verbindung einen Stempel gespeichert, der nicht eingetragen werden konnte. Entscheiden Sie, ob und für wen er zählt.',
      ],
      label: 'Ungeklärte Stempel öffnen',
    },
    en: {
      subject: 'A stamp needs your decision',
      paragraphs: [
        'A terminal without a connection stored a stamp that could not be recorded. Decide whether it counts, and for whom.',
      ],
      label: 'Open unresolved stamps',
    },
  },
  pin_reset: {
    path: '/profile/badges',
    de: {
      subject: 'Ihre PIN wurde entfernt',
      paragraphs: ['Ein Admin hat Ihre PIN entfernt. Setzen Sie im Profil eine neue.'],
      label: 'Neue PIN setzen',
    },
    en: {
      subject: 'Your PIN was removed',
      paragraphs: ['An admin has removed your PIN. Set a new one in your profile.'],
      label: 'Set a new PIN',
    },
  },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly de: Text; readonly en: Text }>>;

/** A change of a person's access that a notice reports. */
export type AccessChange = NonNullable<components['schemas']['Notice']['access_change']>;

/** Texts about access changes: the subject, and one sentence. */
const accessTexts: Readonly<Record<AccessChange, Readonly<Record<'de' | 'en', readonly [string, string]>>>> = {
  reset: {
    de: [
      'Ihr Zugang wurde zurückgesetzt',
      'Passwort und zweiter Faktor gelten nicht mehr, alle Sitzungen sind beendet. Mit dem Link, den Sie erhalten, wählen Sie ein neues Passwort und richten einen neuen zweiten Faktor ein.',
    ],
    en: [
      'Your access was reset',
      'Your password, second factor and sessions have ended. Use the link you receive to choose a new password and set up a new second factor.',
    ],
  },
  password_changed: {
    de: ['Ihr Passwort wurde geändert', 'Andere Sitzungen wurden beendet.'],
    en: ['Your password was changed', 'Other sessions have ended.'],
  },
  factor_added: {
    de: ['Ein zweiter Faktor wurde eingerichtet', 'Mit ihm kann man sich als Sie anmelden.'],
    en: ['A second factor was added', 'It can be used to sign in as you.'],
  },
  factor_removed: {
    de: ['Ein zweiter Faktor wurde entfernt', 'Andere Sitzungen wurden beendet.'],
    en: ['A second factor was removed', 'Other sessions have ended.'],
  },
  recovery_code_used: {
    de: ['Ein Wiederherstellungscode wurde benutzt', 'Er ersetzte Ihren zweiten Faktor und gilt nicht noch einmal.'],
    en: ['A recovery code was used', 'It replaced your second factor and does not work again.'],
  },
  recovery_codes_renewed: {
    de: ['Ihre Wiederherstellungscodes wurden erneuert', 'Die früheren gelten nicht mehr.'],
    en: ['Your recovery codes were renewed', 'The earlier ones no longer work.'],
  },
  email_changed: {
    de: ['Ihre E-Mail-Adresse wurde geändert', 'Ein Admin hat die Adresse geändert, mit der Sie sich anmelden.'],
    en: ['Your e-mail address was changed', 'An admin has changed the address you sign in with.'],
  },
  account_linked: {
    de: [
      'Ihr Konto beim Unternehmen wurde verbunden',
      'Von jetzt an meldet das Konto beim Identitätsanbieter Ihres Unternehmens Sie an.',
    ],
    en: [
      'Your account at your company was linked',
      'You now sign in with your account at your company’s identity provider.',
    ],
  },
  roles_changed: {
    de: ['Ihre Rollen wurden geändert', 'Sie dürfen mehr oder weniger als vorher.'],
    en: ['Your roles were changed', 'You can now do more or less than before.'],
  },
};

const linkTexts = {
  invitation: {
    path: '/invitation',
    de: (company: string): Text => ({
      subject: 'Ihre Einladung zu Clockproof',
      paragraphs: [
        `${company} erfasst Arbeitszeit mit Clockproof. Wählen Sie ein Passwort, um sich anzumelden.`,
        'Der Link gilt einmal, sieben Tage lang.',
      ],
      label: 'Passwort wählen',
    }),
    en: (company: string): Text => ({
      subject: 'Your invitation to Clockproof',
      paragraphs: [
        `${company} records working time with Clockproof. Choose a password to sign in.`,
        'The link works once, for seven days.',
      ],
      label: 'Choose a password',
    }),
  },
  password_reset: {
    path: '/reset-password',
    de: (): Text => ({
      subject: 'Neues Passwort für Clockproof',
      paragraphs: [
        'Jemand hat für diese Adresse ein neues Passwort angefordert. Mit dem Link wählen Sie es. Er gilt einmal, 30 Minuten lang.',
        'Haben Sie nicht darum gebeten? Dann brauchen Sie nichts zu tun.',
      ],
      label: 'Neues Passwort wählen',
    }),
    en: (): Text => ({
      subject: 'New password for Clockproof',
      paragraphs: [
        'Somebody has requested a new password for this address. Choose it with the link. It works once, for 30 minutes.',
        'If you did not request this, you can ignore this e-mail.',
      ],
      label: 'Choose a new password',
    }),
  },
} as const;

export type MailedNotice = keyof typeof noticeTexts;

export interface Addressee {
  readonly name: string;
  readonly companyName: string;
  /** BCP 47. */
  readonly language: string;
}

/** A letter about a notice. @param baseUrl links begin with it */
export function noticeLetter(kind: MailedNotice, to: Addressee, baseUrl: string): Letter {
  const { path, ...texts } = noticeTexts[kind];
  return letter(inLanguage<Text>(to.language, texts), to, baseUrl + path);
}

/** A letter about the person's access. */
export function accessLetter(change: AccessChange, to: Addressee, baseUrl: string): Letter {
  const words = inLanguage(to.language, {
    de: {
      doubt: 'Waren Sie das nicht? Dann wenden Sie sich gleich an Ihre Personalabteilung.',
      label: 'Hinweise öffnen',
    },
    en: { doubt: 'This was not you? Contact your HR department at once.', label: 'Open notices' },
  });
  const [subject, paragraph] = inLanguage(to.language, accessTexts[change]);
  return letter({ subject, paragraphs: [paragraph, words.doubt], label: words.label }, to, `${baseUrl}/notices`);
}

/** A letter with a one-time link. */
export function linkLetter(kind: keyof typeof linkTexts, token: string, to: Addressee, baseUrl: string): Letter {
  const { path, de, en } = linkTexts[kind];
  return letter(inLanguage(to.language, { de, en })(to.companyName), to, `${baseUrl}${path}#${token}`);
}

function letter({ subject, paragraphs, label }: Text, { name, language }: Addressee, url: string): Letter {
  const greeting = inLanguage(language, { de: `Guten Tag ${name},`, en: `Hello ${name},` });
  return { subject, paragraphs: [greeting, ...paragraphs], link: { label, url } };
}

export function renderPlainText({ paragraphs, link }: Letter): string {
  return `${[...paragraphs, `${link.label}:\n${link.url}`].join('\n\n')}\n`;
}

export function renderHtml({ subject, paragraphs, link }: Letter, language: string): string {
  const body = [
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`,
  ].join('\n');
  return `<!doctype html>\n<html lang="${inLanguage(language, { de: 'de', en: 'en' })}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${body}\n</body></html>\n`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
