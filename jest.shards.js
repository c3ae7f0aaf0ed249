// The files that .ci/shards.mjs has written, as one project.
import config from './jest.config.js';

const [{ rootDir: _, ...project }] = config.projects;

export default {
  ...config,
  testSequencer: './.ci/sequencer.js',
  projects: [
    {
      ...project,
      displayName: 'all',
      roots: [`<rootDir>/.reports/shards-${process.env.SHARDS}`],
      testMatch: ['**/*.test.js'],
    },
  ],
};
