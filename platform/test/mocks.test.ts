import { expect, it, jest } from '@jest/globals';

it('refuses to mock a module, which other test files share', () => {
  expect(() => jest.unstable_mockModule('../src/log.js', () => ({}))).toThrow('hand the replacement in');
  expect(() => jest.mock('pg-promise', () => ({}))).toThrow('hand the replacement in');
});
