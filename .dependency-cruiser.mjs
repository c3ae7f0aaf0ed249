/** The rooms of each package in the order in which they build on each other: a room imports only rooms before it. */
const orders = {
  'platform/src': null,
  'service/src': [
    'generated/',
    'config.ts',
    'version.ts',
    'store/',
    'http/',
    'people/',
    'working-time/',
    'inbox/',
    'absences/',
    'clock/',
    'months/',
    'proofs/',
    'extensions/',
    'access/',
    'terminals/',
    'hr/',
    'commands/',
    'authentication.ts',
    'handlers.ts',
    'application.ts',
    'housekeeping.ts',
    'repeated-work.ts',
    'service.ts',
    'main.ts',
  ],
  'service/web/src': [
    'words/',
    'api/',
    'parts/',
    'people/',
    'working-time/',
    'clock/',
    'absences/',
    'months/',
    'proofs/',
    'extensions/',
    'access/',
    'terminals/',
    'inbox/',
    'hr/',
    'shell/',
    'styles.ts',
    'main.tsx',
  ],
  'indexer/src': [
    'generated/',
    'package-folder.ts',
    'sleep.ts',
    'v8-flags.ts',
    'ledger/',
    'config.ts',
    'store/',
    'follow/',
    'api/',
    'commands/',
    'indexer.ts',
    'main.ts',
  ],
};

const own = (packages) => `^(${packages.join('|')})/`;
const places = (folder, rooms) => `^${folder}/(${rooms.map((room) => room.replace('.', '\\.')).join('|')})`;

function orderOf([folder, rooms]) {
  if (rooms === null) return [];
  const upward = rooms.slice(0, -1).map((room, place) => ({
    name: `${folder}/${room} imports only what stands before it`,
    severity: 'error',
    // Types of the tables name ids and words of the rooms; a request carries parts of all of them.
    from: { path: places(folder, [room]), pathNot: '(generated/tables|service/src/http/handler)\\.ts$' },
    to: { path: places(folder, rooms.slice(place + 1)) },
  }));
  const unknown = {
    name: `everything in ${folder} has a place in the order`,
    severity: 'error',
    from: { path: `^${folder}/`, pathNot: places(folder, rooms) },
    to: {},
  };
  return [...upward, unknown];
}

export default {
  forbidden: [
    ...Object.entries(orders).flatMap(orderOf),
    {
      name: 'no circle',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'no circle, not even of types',
      severity: 'error',
      from: { path: own(['indexer', 'terminal-agent', 'service/web', 'conformance', 'platform/src/http']) },
      to: { circular: true },
    },
    {
      name: 'which database it is, only the platform knows',
      severity: 'error',
      from: { path: '^(service|indexer)/src/' },
      to: { path: '^platform/(src|dist/src)/database/(postgres|sqlite)\\.' },
    },
    {
      name: 'the platform knows no product',
      severity: 'error',
      from: { path: '^platform/src/' },
      to: { path: own(['service', 'indexer', 'terminal-agent', 'conformance']) },
    },
    {
      name: 'the anchor service knows the contract and the platform, and nothing else of service and index',
      severity: 'error',
      from: { path: '^service/anchor/' },
      to: {
        path: own(['service/src', 'indexer', 'terminal-agent', 'conformance']),
        pathNot: '^service/src/(generated/service-client-types|version)\\.ts$',
      },
    },
    {
      name: 'the terminal agent and its simulated cards stand alone',
      severity: 'error',
      from: { path: '^terminal-agent/(src|simulator)/' },
      to: { path: own(['platform', 'service', 'indexer', 'conformance']) },
    },
    {
      name: 'simulated cards use themselves, ciphers and sockets of Node and a schema for their files',
      severity: 'error',
      from: { path: '^terminal-agent/simulator/' },
      to: { pathNot: '^(terminal-agent/simulator/|node_modules/zod/|(node:)?(crypto|net)$)' },
    },
    {
      name: 'card dialogues and simulated cards share nothing',
      severity: 'error',
      from: { path: '^service/src/terminals/cards/' },
      to: { path: '^terminal-agent/' },
    },
    {
      name: 'card dialogues know no rows, no HTTP and no clock',
      severity: 'error',
      from: { path: '^service/src/terminals/cards/' },
      to: { path: '^service/src/', pathNot: '^service/src/terminals/cards/' },
    },
    {
      name: 'HTTP is known at the edge: the pages are files, handed out as they are',
      severity: 'error',
      from: { path: '^service/src/', pathNot: '^service/src/http/pages\\.ts$' },
      to: { path: '^((node:)?http|node_modules/(express|openapi-backend)/)' },
    },
    {
      name: 'the pages share with the service the contract, the addresses of pages and the kinds of audit entries',
      severity: 'error',
      from: { path: '^service/web/src/' },
      to: {
        path: '^service/src/',
        pathNot:
          '^service/src/(generated/(page-types|contract|scope-labels\\.(de|en))|http/page-paths|store/audit/actions)\\.ts$',
      },
    },
    {
      name: 'what a request carries is named by type alone',
      severity: 'error',
      from: { path: '^service/src/http/handler\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'a handler passes no scope of every company: it calls what says in its name that it looks everywhere',
      severity: 'error',
      from: { path: '^service/src/.*(/|-)(api|app)\\.ts$' },
      to: { path: '^service/src/store/every-company\\.ts$' },
    },
    {
      name: 'an entry point does not calculate a company’s month: that takes a permit',
      severity: 'error',
      from: { path: '^service/src/.*(/|-)(api|app)\\.ts$' },
      to: { path: '^service/src/months/company-month\\.ts$', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: '(node_modules|/dist/)' },
    exclude: { path: '\\.test\\.tsx?$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
