// The tests of pure rules alone, for Stryker: no database, no server, and one project.
import config from './jest.config.js';

const [{ extensionsToTreatAsEsm, moduleNameMapper, transform }] = config.projects;

export default {
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
  testMatch: ['<rootDir>/{platform,service,indexer}/src/**/*.test.ts', '<rootDir>/service/test/card-dialogues.test.ts'],
  extensionsToTreatAsEsm,
  moduleNameMapper: Object.fromEntries(
    Object.entries(moduleNameMapper).map(([pattern, path]) => [pattern, path.replace('<rootDir>/../', '<rootDir>/')]),
  ),
  transform,
  testTimeout: 30_000,
};
