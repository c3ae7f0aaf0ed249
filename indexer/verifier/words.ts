// Every sentence of the verifier, in both languages. Each says what was checked, and no more.
import type { Outcome, Step } from './check.js';

export type Language = 'de' | 'en';

export const outcomes: Readonly<Record<Language, Readonly<Record<Outcome, string>>>> = {
  en: { passed: '✓ holds', failed: '✗ does not hold', open: '○ open' },
  de: { passed: '✓ stimmt', failed: '✗ stimmt nicht', open: '○ offen' },
};

type Sentence = (a: string, b: string) => string;
interface Words {
  readonly titles: readonly string[];
  readonly sentences: Readonly<Record<string, Sentence>>;
}

export const words: Readonly<Record<Language, Words>> = {
  en: {
    titles: [
      'What the file says',
      'It belongs to the fingerprint',
      'The only place of this person',
      'Company and person',
      'The fingerprint is on the ledger',
      'Who wrote it there',
      'No later revision',
    ],
    sentences: {
      'open not_done': () => 'Not checked, because the file is not of a form that can be read.',
      'failed form': (what) => `This is no proof file of the form "clockproof proof 1", or it is damaged (${what}).`,
      'passed form_whole': () => 'The file has the right form and shows the whole month.',
      'passed form_hidden': (count) => `The file has the right form. ${count} parts of the month are hidden in it.`,
      'failed path_form': () => 'The way from the month to the fingerprint is damaged.',
      'passed path': (root) =>
        `What the file shows belongs to the fingerprint ${root}. A single changed minute would give another one.`,
      'failed path': (root) =>
        `What the file shows does not belong to the fingerprint ${root}. It was changed, or is damaged.`,
      'passed slot': () => 'The month stands in the one place that this person can have under the fingerprint.',
      'failed slot': () => 'The month does not stand in the place of this person.',
      'passed tokens': () => 'Both tokens are those that you entered.',
      'failed company_token': (token) => `The file has another company token than you entered: ${token}.`,
      'failed person_token': (token) => `The file has another person token than you entered: ${token}.`,
      'open company_only': (token) =>
        `The company token is the one that you entered. Compare the person token with what you were told: ${token}.`,
      'open person_only': (token) =>
        `The person token is the one that you entered. Compare the company token with what you were told: ${token}.`,
      'open tokens': (company, person) =>
        `Not compared. Compare with what you were told: company ${company}, person ${person}.`,
      'open ledger': () => 'No index was asked. Until one is, nothing shows that this fingerprint was ever published.',
      'failed ledger': (names) =>
        `The fingerprint does not stand in the transactions that are known for it, says ${names}.`,
      'open ledger_unknown': (names) => `No answer, or none that decides it, from ${names}.`,
      'passed ledger': (names) => `These indexes found the fingerprint on the ledger: ${names}.`,
      'passed ledger_one': (names) =>
        `One index found the fingerprint on the ledger: ${names}. Better ask a second one.`,
      'open sender': (sender) =>
        `Anyone can write to the ledger. Compare the sender with what you were told${sender === '' ? '' : `; the file names ${sender}`}.`,
      'failed sender': (sender) => `An index does not find the fingerprint from the sender ${sender}.`,
      'passed sender': (sender) => `The fingerprint was written by the sender that you entered: ${sender}.`,
      'failed sender_hint': (sender) => `The file names other senders than ${sender}.`,
      'open sender_unasked': (sender) => `No index has confirmed yet that ${sender} wrote the fingerprint.`,
      'open revision': () => 'No index was asked whether the month was closed again later.',
      'failed revision_others': (names) => `The company has published another revision of this month: ${names}.`,
      'open revision_others': (names) =>
        `Other fingerprints stand on the ledger for this company and month; without the sender, nobody can tell whose: ${names}.`,
      'open revision_unknown': () => 'An index does not know everything, so a later revision may exist.',
      'open revision_sender': () => 'No other fingerprint stands there. Enter the sender to be told for certain.',
      'passed revision': (names) =>
        `No later revision of this month is known to ${names}, as far as it has read today.`,
    },
  },
  de: {
    titles: [
      'Was die Datei sagt',
      'Sie gehört zum Fingerabdruck',
      'Der einzige Platz dieser Person',
      'Unternehmen und Person',
      'Der Fingerabdruck steht auf dem Ledger',
      'Wer ihn dort hingeschrieben hat',
      'Keine spätere Fassung',
    ],
    sentences: {
      'open not_done': () => 'Nicht geprüft, weil sich die Datei nicht lesen lässt.',
      'failed form': (what) =>
        `Das ist keine Beweisdatei der Form „clockproof proof 1“, oder sie ist beschädigt (${what}).`,
      'passed form_whole': () => 'Die Datei hat die richtige Form und zeigt den ganzen Monat.',
      'passed form_hidden': (count) =>
        `Die Datei hat die richtige Form. ${count} Teile des Monats sind darin verborgen.`,
      'failed path_form': () => 'Der Weg vom Monat zum Fingerabdruck ist beschädigt.',
      'passed path': (root) =>
        `Was die Datei zeigt, gehört zum Fingerabdruck ${root}. Schon eine geänderte Minute ergäbe einen anderen.`,
      'failed path': (root) =>
        `Was die Datei zeigt, gehört nicht zum Fingerabdruck ${root}. Sie wurde geändert oder ist beschädigt.`,
      'passed slot': () => 'Der Monat steht an dem einen Platz, den diese Person unter dem Fingerabdruck haben kann.',
      'failed slot': () => 'Der Monat steht nicht am Platz dieser Person.',
      'passed tokens': () => 'Beide Kennungen sind die, die Sie eingegeben haben.',
      'failed company_token': (token) =>
        `Die Datei hat eine andere Kennung des Unternehmens, als Sie eingegeben haben: ${token}.`,
      'failed person_token': (token) =>
        `Die Datei hat eine andere Kennung der Person, als Sie eingegeben haben: ${token}.`,
      'open company_only': (token) =>
        `Die Kennung des Unternehmens ist die eingegebene. Vergleichen Sie die der Person mit der, die man Ihnen genannt hat: ${token}.`,
      'open person_only': (token) =>
        `Die Kennung der Person ist die eingegebene. Vergleichen Sie die des Unternehmens mit der, die man Ihnen genannt hat: ${token}.`,
      'open tokens': (company, person) =>
        `Nicht verglichen. Vergleichen Sie mit dem, was man Ihnen genannt hat: Unternehmen ${company}, Person ${person}.`,
      'open ledger': () =>
        'Es wurde kein Index gefragt. Bis dahin zeigt nichts, dass dieser Fingerabdruck je veröffentlicht wurde.',
      'failed ledger': (names) =>
        `Der Fingerabdruck steht nicht in den Transaktionen, die dafür bekannt sind, sagt ${names}.`,
      'open ledger_unknown': (names) => `Keine Antwort, oder keine, die es entscheidet, von ${names}.`,
      'passed ledger': (names) => `Diese Indexe haben den Fingerabdruck auf dem Ledger gefunden: ${names}.`,
      'passed ledger_one': (names) =>
        `Ein Index hat den Fingerabdruck auf dem Ledger gefunden: ${names}. Fragen Sie besser noch einen zweiten.`,
      'open sender': (sender) =>
        `Auf das Ledger kann jeder schreiben. Vergleichen Sie den Absender mit dem, den man Ihnen genannt hat${sender === '' ? '' : `; die Datei nennt ${sender}`}.`,
      'failed sender': (sender) => `Ein Index findet den Fingerabdruck nicht vom Absender ${sender}.`,
      'passed sender': (sender) => `Den Fingerabdruck hat der eingegebene Absender geschrieben: ${sender}.`,
      'failed sender_hint': (sender) => `Die Datei nennt andere Absender als ${sender}.`,
      'open sender_unasked': (sender) =>
        `Noch kein Index hat bestätigt, dass ${sender} den Fingerabdruck geschrieben hat.`,
      'open revision': () => 'Es wurde kein Index gefragt, ob der Monat später noch einmal abgeschlossen wurde.',
      'failed revision_others': (names) =>
        `Das Unternehmen hat eine andere Fassung dieses Monats veröffentlicht: ${names}.`,
      'open revision_others': (names) =>
        `Für Unternehmen und Monat stehen andere Fingerabdrücke auf dem Ledger; ohne den Absender weiß niemand, wessen: ${names}.`,
      'open revision_unknown': () => 'Ein Index kennt nicht alles, es kann also eine spätere Fassung geben.',
      'open revision_sender': () =>
        'Kein anderer Fingerabdruck steht dort. Mit dem Absender lässt es sich sicher sagen.',
      'passed revision': (names) =>
        `Eine spätere Fassung dieses Monats ist nicht bekannt: ${names}, soweit heute gelesen wurde.`,
    },
  },
};

/** @returns the sentence of a step */
export const sentenceOf = ({ outcome, word, names }: Step, language: Language): string =>
  words[language].sentences[`${outcome} ${word}`]!(names[0] ?? '', names[1] ?? '');
