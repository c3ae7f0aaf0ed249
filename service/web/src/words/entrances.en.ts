/** The sentences of the pages of this area in English: see `navigation.ts` for the areas. */
export const entrancesEn = {
  my_badges_title: 'Badges and PIN',
  notice_proofs_stopped:
    'The cards of five badges failed to prove their keys there within ten minutes. Someone may be trying copied cards, or the reader is broken. Look at the terminal, then let it accept badges again.',
  notice_to_terminal: 'To the terminal',
  notice_pin_reset: 'An administrator removed the PIN you enter at terminals. Set a new one.',
};
