// Mutation testing: `make soak NAME=mutants ARGS=service/src/absences/state.ts`. Not part of CI.
export default {
  testRunner: 'jest',
  jest: { configFile: 'jest.stryker.js', enableFindRelatedTests: true },
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: '.reports/stryker-incremental.json',
  // A mutant that is evaluated while a module loads needs a new process for all of its tests.
  ignoreStatic: true,
  mutate: [],
  ignorePatterns: ['dist', '*/dist', '.reports', 'docs', '*/web', '*/bench', '*/demo'],
  tempDirName: 'stryker-tmp',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: '.reports/stryker.json' },
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  concurrency: 2,
  timeoutMS: 20_000,
  // Nearly every test reaches some files.
  dryRunTimeoutMinutes: 60,
};
