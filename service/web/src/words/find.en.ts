/** The sentences of the search over people, pages and actions in English. */
export const findEn = {
  find: 'Find',
  find_keys: { control: 'Ctrl K', command: '⌘ K' },
  find_title: 'Find people, pages and actions',
  find_own_title: 'Find pages and actions',
  find_none: (typed: string) => `Nothing matches “${typed}”.`,
  find_count: (count: number) => (count === 1 ? 'One result' : `${count} results`),
  find_groups: { pages: 'Pages', actions: 'Actions', people: 'People' },
  find_help: { move: 'move', open: 'open', close: 'close' },
  find_actions: {
    request: 'Request absence',
    correct: 'Correct a day',
    presence: 'Who is here',
    person: 'Add person',
    import: 'Import people',
    invite: 'Invite people',
    terminal: 'Add terminal',
    extension: 'New extension',
    light: 'Light colours',
    dark: 'Dark colours',
    system: 'Colours of the system',
  },
};
