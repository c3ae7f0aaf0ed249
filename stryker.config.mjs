// Mutation testing of pure rules: `make mutants-pure FILES=service/src/absences/state.ts`. Not part of CI.
export default {
  testRunner: 'jest',
  jest: { configFile: 'jest.stryker.js', enableFindRelatedTests: true },
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  // A mutant that is evaluated while a module loads needs a new process for all of its tests.
  ignoreStatic: true,
  mutate: [],
  ignorePatterns: ['dist', '*/dist', '.reports', 'docs', '*/web', '*/bench', '*/demo'],
  tempDirName: 'stryker-tmp',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: '.reports/stryker.json' },
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  concurrency: 1,
  timeoutMS: 20_000,
};
