import { availableParallelism } from 'node:os';

// One project a package, so that `jest --selectProjects service` runs one room of the house.
// Imports between packages are read from source: a test never meets a stale build.
const project = (name) => ({
  displayName: name,
  rootDir: `<rootDir>/${name}`,
  testMatch: ['<rootDir>/{src,test,simulator,suites,web/src}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@clockproof/platform/tools/(.*)$': `${import.meta.dirname}/platform/tools/$1.ts`,
    '^@clockproof/platform/(.*)$': `${import.meta.dirname}/platform/src/$1.ts`,
    '^@clockproof/terminal-agent/(simulator|src)/(.*)$': `${import.meta.dirname}/terminal-agent/$1/$2.ts`,
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
});

// Libraries take the path they take in production; GraphQL's checks for developers cost the indexer's tests a tenth.
process.env.NODE_ENV = 'production';
// Neither UTC nor that of any company in the tests, and 45 minutes off the hour: no rule may depend on it.
process.env.TZ ??= 'Pacific/Chatham';

export default {
  projects: ['platform', 'service', 'terminal-agent', 'indexer', 'conformance'].map(project),
  globalSetup: './platform/test/postgres-server.js',
  globalTeardown: './platform/test/stop-postgres-server.js',
  // A test that hangs ends; one on a busy machine does not fail, and so none has a shorter limit of its own.
  testTimeout: 600_000,
  // A worker that has nothing left to do still has to free its memory: on a busy machine longer than the usual 500 ms.
  workerGracefulExitTimeout: 30_000,
  // Jest keeps some of what a file has loaded.
  workerIdleMemoryLimit: '600MB',
  // More than there are cores: half of the time a test waits, for a database, a browser or a process.
  maxWorkers: availableParallelism() + 2,
};
