// What somebody without this repository measures on the published documents: Redocly's strictest rules without a
// configuration, and its score for how simple they are to integrate.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './contract.mjs';
import { redocly } from './redocly.mjs';

const documents = ['service', 'indexer', 'app'];
/** The least score of each document that others read. Each of its operations costs a hundredth. */
const leastScores = { service: 92, indexer: 92 };

const reportOf = ({ answer, output }) => {
  const start = answer.indexOf('{');
  if (start < 0) throw new Error(`Redocly gave no report:\n${output}`);
  return JSON.parse(answer.slice(start));
};

/**
 * @returns {Promise<{ name: string, score?: number, findings: { at: string, message: string, rule: string }[] }[]>} of
 * each file of dist/openapi
 */
export async function judgePublished() {
  // A folder without a configuration.
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-published-'));
  try {
    return await Promise.all(
      documents
        .flatMap((name) => [`${name}.yaml`, `${name}-3.0.yaml`])
        .map(async (file) => {
          copyFileSync(join(repository, 'dist/openapi', file), join(folder, file));
          const lint = ['lint', file, '--extends', 'recommended-strict', '--format', 'json', '--max-problems', '1000'];
          const { problems } = reportOf(await redocly(lint, folder));
          const findings = problems.map(({ message, ruleId: rule, location }) => {
            return { at: location[0]?.pointer ?? '', message, rule };
          });
          const name = file.replace('.yaml', '');
          if (leastScores[name] === undefined) return { name, findings };
          const { agentReadiness: score } = reportOf(await redocly(['score', file, '--format', 'json'], folder));
          if (score < leastScores[name])
            findings.push({ at: '', message: `scores ${score}, not ${leastScores[name]}`, rule: 'score' });
          return { name, score, findings };
        }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
