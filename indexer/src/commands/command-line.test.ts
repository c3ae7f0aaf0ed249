import { describe, expect, it } from '@jest/globals';
import { parseCommandLine, usage } from './command-line.js';

const parse = (...argv: string[]) => parseCommandLine(argv, '1.2.3');

describe('a command line', () => {
  it('without a word serves', () => {
    expect(parse()).toEqual({ kind: 'serve' });
  });

  it.each([['help'], ['--help'], ['-h']])('%s prints the usage', (word) => {
    expect(parse(word)).toEqual({ kind: 'print', text: usage('1.2.3'), code: 0 });
  });

  it.each([['version'], ['--version'], ['-v']])('%s prints the version and nothing else', (word) => {
    expect(parse(word)).toEqual({ kind: 'print', text: '1.2.3', code: 0 });
  });

  it.each([['dance'], ['Export'], ['--serve'], [''], ['toString'], ['__proto__']])(
    'with the unknown command %j gets the usage and code 64',
    (word) => {
      expect(parse(word)).toEqual({
        kind: 'print',
        text: expect.stringContaining(usage('1.2.3')) as unknown,
        code: 64,
      });
    },
  );

  it.each([['reindex'], ['export'], ['import'], ['settle'], ['recheck'], ['doctor'], ['compare']])(
    '%s --help explains the command and runs nothing, whatever else is on the line',
    (name) => {
      for (const restArguments of [['--help'], ['-h'], ['x', '--help'], ['--help', '--from', '0']])
        expect(parse(name, ...restArguments)).toEqual({
          kind: 'print',
          text: expect.stringMatching(`^usage: ${name}`) as unknown,
          code: 0,
        });
    },
  );

  it.each([
    ['reindex', []],
    ['reindex', ['--from']],
    ['reindex', ['--from', '-1']],
    ['reindex', ['--from', 'x']],
    ['reindex', ['5']],
    ['reindex', ['--from', '1', '2']],
    ['reindex', ['--form', '1']],
    ['export', ['a', 'b']],
    ['export', ['--verbose']],
    ['import', ['--remove', 'x']],
    ['settle', ['now']],
    ['recheck', ['--delete']],
    ['doctor', ['--fix']],
    ['compare', []],
    ['compare', ['http://one.example']],
    ['compare', ['one', 'two']],
    ['compare', ['http://a', 'http://b', 'http://c']],
    ['compare', ['--ful', 'http://a', 'http://b']],
  ])('refuses %s %j with code 64', (name, restArguments) => {
    expect(parse(name, ...restArguments)).toEqual({
      kind: 'print',
      text: expect.stringMatching(new RegExp(`^${name}: .*\nusage: ${name}`)) as unknown,
      code: 64,
    });
  });

  it('hands on words and options of a command', () => {
    expect(parse('reindex', '--from', '17')).toEqual({
      kind: 'run',
      name: 'reindex',
      words: [],
      options: { from: '17' },
    });
    expect(parse('export', 'file')).toEqual({ kind: 'run', name: 'export', words: ['file'], options: {} });
    expect(parse('compare', '--full', 'http://a', 'http://b')).toEqual({
      kind: 'run',
      name: 'compare',
      words: ['http://a', 'http://b'],
      options: { full: true },
    });
  });
});
