// Every sentence of the page, in both languages.
export const words = {
  en: {
    title: 'Verify a proof',
    check_file: 'Check a person’s file',
    lead: 'An anchor service writes fingerprints of records to a public ledger. No one can change them there, not even the author. Here you compare the fingerprint you were given with the one on the ledger.',
    tx_label: 'Transaction',
    tx_help:
      '43 or 44 letters and digits. The operator of the anchor service gives it to you together with the fingerprint. The link of a ledger explorer will do, too.',
    root_label: 'Fingerprint (Merkle root)',
    root_help: '64 digits and letters from a to f. Leave it empty to see which fingerprint stands on the ledger.',
    submit: 'Compare',
    busy: 'Comparing …',
    independent: 'This page asks only this index, and the index reads only the public ledger. Anyone can run one.',
    match: [
      'The fingerprints are equal.',
      'This fingerprint is on the ledger, in this transaction. Anyone may write to the ledger: make sure that \u201cSender on the ledger\u201d is the address you expect. Whether a month gives this fingerprint, \u201cCheck a person’s file\u201d shows.',
    ],
    mismatch: [
      'The fingerprints differ.',
      'This transaction anchored another fingerprint. Either the records were changed, or fingerprint and transaction do not belong together.',
    ],
    indexed: [
      'This transaction anchored a proof.',
      'Nothing was compared, because no fingerprint was given. Below stands what is on the ledger.',
    ],
    not_found: [
      'There is no such proof.',
      'The index has read everything that was anchored, and neither it nor the ledger has a proof in this transaction.',
    ],
    not_yet: [
      'This cannot be answered yet.',
      'The index has not read this transaction yet, and the ledger did not answer just now. Try again in a minute.',
    ],
    disputed: [
      'This proof is disputed.',
      'The ledger gave it in different versions. Below are all of them; none is certain until the operator of this index has settled it. Ask another index.',
    ],
    no_tx: ['The transaction is missing.', 'Enter the transaction of the proof, then compare.'],
    disputed_version: 'Another version from the ledger',
    not_synced: ['This cannot be answered yet.', 'The index is still reading the ledger. Try again in a few minutes.'],
    history_partial: [
      'This index does not know the transaction.',
      "A part of the ledger's history was no longer available when it was read, so the proof may exist all the same. Ask another index.",
    ],
    filtered: [
      'This index does not know the transaction.',
      'It only holds proofs of certain senders, so the proof may exist all the same. Ask another index.',
    ],
    incomplete: [
      'This cannot be answered yet.',
      'The index could not read every part of this transaction, and the fingerprint may stand in a part that is missing. It keeps asking; try again later, or ask another index.',
    ],
    package_unknown: [
      'This cannot be answered.',
      'The index finds nothing on the ledger that it could read. Its operator has to check the settings; ask another index.',
    ],
    about: (tx) => `Transaction ${tx}`,
    others: (count) =>
      count === 1
        ? 'Another fingerprint stands on the ledger for the same company and period:'
        : `${count} other fingerprints stand on the ledger for the same company and period:`,
    other: (root, sender) => `${root}, anchored by ${sender}`,
    bad_tx: ['This is no transaction.', 'Copy the transaction again; upper and lower case matter.'],
    bad_root: ['This is no fingerprint.', 'A fingerprint has exactly 64 digits and letters from a to f.'],
    too_many: ['Too many questions.', 'Wait a minute, then ask again.'],
    failed: ['The index does not answer.', 'Try again in a moment.'],
    company_token: 'Company',
    period: 'Period',
    merkle_root: 'Fingerprint on the ledger',
    ledger_time: 'Anchored',
    sender: 'Sender on the ledger',
    checkpoint: 'Checkpoint',
    months_title: 'The months of a company',
    months_lead:
      'Every fingerprint that was anchored under a company’s token, and the months that are missing in between. Anyone may write to the ledger: only the sender you were told counts.',
    company_label: 'Token of the company',
    company_help: 'It stands on the sheet of a closed month, and in every proof file.',
    company_submit: 'Show months',
    no_company: ['The token is missing.', 'Enter the token of the company, then ask for its months.'],
    bad_company: ['This is no token.', 'Copy the token of the company again.'],
    no_months: ['This index knows no fingerprint of this company.', 'Check the token, or ask another index.'],
    months_found: (count) => (count === 1 ? 'One period was anchored.' : `${count} periods were anchored.`),
    months_missing: (ranges) => `Missing in between: ${ranges.join(', ')}.`,
    month_range: ({ from, to }) => (from === to ? from : `${from} to ${to}`),
    months_versions: (count) => `${count} different fingerprints`,
    months_more: 'Earlier months',
    status: (count, network, time) => `${count} proofs indexed on ${network}, last read ${time}.`,
    never: 'not yet',
  },
  de: {
    title: 'Einen Beweis prüfen',
    check_file: 'Die Datei einer Person prüfen',
    lead: 'Ein Ankerdienst schreibt Fingerabdrücke von Einträgen auf ein öffentliches Ledger. Dort kann sie niemand mehr ändern, auch der Verfasser nicht. Hier vergleichen Sie den Fingerabdruck, den Sie erhalten haben, mit dem auf dem Ledger.',
    tx_label: 'Transaktion',
    tx_help:
      '43 oder 44 Buchstaben und Ziffern. Sie erhalten sie zusammen mit dem Fingerabdruck von dem, der den Ankerdienst betreibt. Auch der Link eines Ledger-Explorers genügt.',
    root_label: 'Fingerabdruck (Merkle-Wurzel)',
    root_help:
      '64 Ziffern und Buchstaben von a bis f. Lassen Sie das Feld leer, um zu sehen, welcher Fingerabdruck auf dem Ledger steht.',
    submit: 'Vergleichen',
    busy: 'Wird verglichen …',
    independent:
      'Diese Seite fragt nur diesen Index, und der Index liest nur das öffentliche Ledger. Jeder kann einen betreiben.',
    match: [
      'Die Fingerabdrücke sind gleich.',
      'Dieser Fingerabdruck steht auf dem Ledger, in dieser Transaktion. Auf das Ledger schreiben kann jeder: Prüfen Sie, ob unter \u201eAbsender auf dem Ledger\u201c die erwartete Adresse steht. Ob ein Monat diesen Fingerabdruck ergibt, zeigt \u201eDie Datei einer Person prüfen\u201c.',
    ],
    mismatch: [
      'Die Fingerabdrücke sind verschieden.',
      'In dieser Transaktion steht ein anderer Fingerabdruck. Entweder wurden die Einträge geändert, oder Fingerabdruck und Transaktion gehören nicht zusammen.',
    ],
    indexed: [
      'In dieser Transaktion steht ein Beweis.',
      'Verglichen wurde nichts, denn es wurde kein Fingerabdruck angegeben. Unten steht, was auf dem Ledger steht.',
    ],
    not_found: [
      'Diesen Beweis gibt es nicht.',
      'Der Index hat alles gelesen, was verankert wurde; weder er noch das Ledger kennt in dieser Transaktion einen Beweis.',
    ],
    not_yet: [
      'Das lässt sich noch nicht sagen.',
      'Der Index hat diese Transaktion noch nicht gelesen, und das Ledger hat gerade nicht geantwortet. Versuchen Sie es in einer Minute wieder.',
    ],
    disputed: [
      'Dieser Beweis ist strittig.',
      'Das Ledger hat ihn in verschiedenen Fassungen mitgeteilt. Unten stehen alle; keine ist sicher, bis der Betreiber dieses Index das geklärt hat. Fragen Sie einen anderen Index.',
    ],
    no_tx: ['Die Transaktion fehlt.', 'Geben Sie die Transaktion des Beweises ein und vergleichen Sie dann.'],
    disputed_version: 'Andere Fassung vom Ledger',
    not_synced: [
      'Das lässt sich noch nicht sagen.',
      'Der Index liest das Ledger noch. Versuchen Sie es in einigen Minuten wieder.',
    ],
    history_partial: [
      'Dieser Index kennt die Transaktion nicht.',
      'Ein Teil der Geschichte des Ledgers war beim Lesen nicht mehr verfügbar; den Beweis kann es trotzdem geben. Fragen Sie einen anderen Index.',
    ],
    filtered: [
      'Dieser Index kennt die Transaktion nicht.',
      'Er enthält nur Beweise bestimmter Absender; den Beweis kann es trotzdem geben. Fragen Sie einen anderen Index.',
    ],
    incomplete: [
      'Das lässt sich noch nicht sagen.',
      'Der Index konnte nicht alle Teile dieser Transaktion lesen; der Fingerabdruck kann in einem fehlenden Teil stehen. Er fragt weiter: Versuchen Sie es später wieder, oder fragen Sie einen anderen Index.',
    ],
    package_unknown: [
      'Das lässt sich nicht sagen.',
      'Der Index findet auf dem Ledger nichts, was er lesen könnte. Wer ihn betreibt, muss die Einstellungen ansehen; fragen Sie einen anderen Index.',
    ],
    about: (tx) => `Transaktion ${tx}`,
    others: (count) =>
      count === 1
        ? 'Für dasselbe Unternehmen und denselben Zeitraum steht noch ein anderer Fingerabdruck auf dem Ledger:'
        : `Für dasselbe Unternehmen und denselben Zeitraum stehen noch ${count} andere Fingerabdrücke auf dem Ledger:`,
    other: (root, sender) => `${root}, verankert von ${sender}`,
    bad_tx: [
      'Das ist keine Transaktion.',
      'Kopieren Sie die Transaktion noch einmal; Groß- und Kleinschreibung zählen.',
    ],
    bad_root: [
      'Das ist kein Fingerabdruck.',
      'Ein Fingerabdruck besteht aus genau 64 Ziffern und Buchstaben von a bis f.',
    ],
    too_many: ['Zu viele Fragen.', 'Warten Sie eine Minute und fragen Sie dann wieder.'],
    failed: ['Der Index antwortet nicht.', 'Versuchen Sie es gleich noch einmal.'],
    company_token: 'Unternehmen',
    period: 'Zeitraum',
    merkle_root: 'Fingerabdruck auf dem Ledger',
    ledger_time: 'Verankert',
    sender: 'Absender auf dem Ledger',
    checkpoint: 'Checkpoint',
    months_title: 'Die Monate eines Unternehmens',
    months_lead:
      'Jeder Fingerabdruck, der unter der Kennung eines Unternehmens verankert wurde, und die Monate, die dazwischen fehlen. Auf das Ledger schreiben kann jeder: Es zählt nur der Absender, der Ihnen genannt wurde.',
    company_label: 'Kennung des Unternehmens',
    company_help: 'Sie steht auf dem Blatt eines abgeschlossenen Monats und in jeder Beweisdatei.',
    company_submit: 'Monate zeigen',
    no_company: [
      'Die Kennung fehlt.',
      'Geben Sie die Kennung des Unternehmens ein und fragen Sie dann nach den Monaten.',
    ],
    bad_company: ['Das ist keine Kennung.', 'Kopieren Sie die Kennung des Unternehmens noch einmal.'],
    no_months: [
      'Dieser Index kennt keinen Fingerabdruck dieses Unternehmens.',
      'Prüfen Sie die Kennung, oder fragen Sie einen anderen Index.',
    ],
    months_found: (count) => (count === 1 ? 'Ein Zeitraum wurde verankert.' : `${count} Zeiträume wurden verankert.`),
    months_missing: (ranges) => `Dazwischen fehlen: ${ranges.join(', ')}.`,
    month_range: ({ from, to }) => (from === to ? from : `${from} bis ${to}`),
    months_versions: (count) => `${count} verschiedene Fingerabdrücke`,
    months_more: 'Frühere Monate',
    status: (count, network, time) => `${count} Beweise aus ${network}, zuletzt gelesen ${time}.`,
    never: 'noch nicht',
  },
};
