// The tests that Stryker runs, those of TESTS or all: on SQLite, without browsers and processes, in one project.
import config from './jest.config.js';

const [{ extensionsToTreatAsEsm, moduleNameMapper, transform }] = config.projects;

export default {
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
  testMatch: [`<rootDir>/{platform,service,indexer}/{src,test}/**/*${process.env.TESTS ?? ''}*.test.ts`],
  testPathIgnorePatterns: ['/node_modules/', '\\.(browser|process)\\.', 'rooms', 'postgres'],
  extensionsToTreatAsEsm,
  moduleNameMapper,
  transform,
  testTimeout: 30_000,
};
