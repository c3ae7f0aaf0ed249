// Lines of code longer than 120 columns stay below 1 %: the formatter cannot break texts and SQL, people can.
// Generated files and migrations, which never change once released, do not count.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const columns = 120;
const share = 0.01;

const files = execFileSync('git', ['ls-files', '-z', '--', '*.ts', '*.tsx', '*.js', '*.mjs', '*.css'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && !/(^|\/)(generated|migrations)\//.test(file));
const lines = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ place: `${file}:${index + 1}`, length: text.length })),
);
const long = lines.filter(({ length }) => length > columns).sort((a, b) => b.length - a.length);
const percent = (100 * long.length) / lines.length;
console.log(`${long.length} of ${lines.length} lines are longer than ${columns} columns: ${percent.toFixed(2)} %`);
if (long.length > share * lines.length) {
  for (const { place, length } of long.slice(0, 30)) console.error(`${place}: ${length} columns`);
  console.error(`at most ${100 * share} % may be; the longest are listed`);
  process.exit(1);
}
