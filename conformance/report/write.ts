/** The report in three forms: JSON for programs, JUnit for CI, one HTML file for people. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomes as allOutcomes, type Report, type Result } from '../kit/runner.js';

export function writeReport(folder: string, report: Report): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'conformance.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, 'conformance.xml'), junit(report));
  writeFileSync(join(folder, 'conformance.html'), html(report));
}

const escapeXml = (text: string): string =>
  text
    // Control characters are no part of XML.
    .replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(3);
const count = (results: readonly Result[], outcome: Result['outcome']) =>
  results.filter((result) => result.outcome === outcome).length;

export function junit(report: Report): string {
  const { results, milliseconds } = report;
  const suites = [...new Set(results.map(({ suite }) => suite))].map((suite) => {
    const suiteResults = results.filter((result) => result.suite === suite);
    const cases = suiteResults.map((result) => {
      const inside =
        result.outcome === 'failed'
          ? `<failure message="${escapeXml(result.message ?? '')}"/>`
          : result.outcome === 'skipped' || result.outcome === 'inconclusive'
            ? `<skipped message="${escapeXml(`${result.outcome === 'skipped' ? '' : 'inconclusive: '}${result.message ?? ''}`)}"/>`
            : '';
      const name = escapeXml(`${result.id} ${result.says}`);
      return `    <testcase classname="${suite}.${result.level}" name="${name}" time="${seconds(result.milliseconds)}">${inside}</testcase>`;
    });
    const time = seconds(suiteResults.reduce((sum, result) => sum + result.milliseconds, 0));
    return `  <testsuite name="${suite}" tests="${suiteResults.length}" failures="${count(suiteResults, 'failed')}" skipped="${count(suiteResults, 'skipped') + count(suiteResults, 'inconclusive')}" time="${time}">\n${cases.join('\n')}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="clockproof-conformance" tests="${results.length}" failures="${count(results, 'failed')}" time="${seconds(milliseconds)}">\n${properties(report)}\n${suites.join('\n')}\n</testsuites>\n`;
}

/** What a run says about requirements that it could not judge. */
export const notCertified = (inconclusive: number): string =>
  `${inconclusive} inconclusive: the kit could not tell, and this run certifies nothing for them.`;

const madeWith = ({ kit, adapter }: Report): string =>
  `Kit ${escapeXml(kit)}${adapter === undefined ? '' : `, adapter ${escapeXml(adapter)}`}.`;

function documentsOf({ documents }: Report): string {
  if (documents.length === 0) return '';
  const items = documents.map(({ address, sha256 }) => `<li>${escapeXml(address)} <code>${sha256}</code></li>`);
  return `<p>The documents that were judged, with the SHA-256 of their bytes:</p><ul class="note">${items.join('')}</ul>`;
}

function properties({ kit, adapter = '', documents, notRemoved }: Report): string {
  const property = (name: string, value: string) => `    <property name="${name}" value="${escapeXml(value)}"/>`;
  const lines = [
    property('kit', kit),
    property('adapter', adapter),
    ...documents.map(({ address, sha256 }) => property(`sha256 ${escapeXml(address)}`, sha256)),
    ...notRemoved.map((failure) => property('clean-up failed', failure)),
  ];
  return `  <properties>\n${lines.join('\n')}\n  </properties>`;
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #dde3ea}
code{font-family:ui-monospace,monospace}.failed{color:#a3162e;font-weight:600}.passed{color:#12683a}.skipped,.inconclusive{color:#6b5200}
.note{color:#4a5563;font-size:.9em;overflow-wrap:anywhere}td,p{overflow-wrap:anywhere}td:first-child,td:nth-child(4),td:nth-child(5){white-space:nowrap}
@media(max-width:45rem){td:nth-child(2),th:nth-child(2),td:last-child:nth-child(5),th:last-child:nth-child(5){display:none}td,th{padding:.35rem .3rem}}
@media(prefers-color-scheme:dark){body{background:#14181e;color:#dde3ea}td,th{border-color:#303944}.failed{color:#ff8fa0}.passed{color:#7fd6a4}.skipped,.inconclusive{color:#e5c46b}.note{color:#a9b4c0}}`;

/** Names of files and members stand in backticks. */
const markUp = (text: string): string => escapeXml(text).replace(/`([^`]*)`/g, '<code>$1</code>');

/** Each reason once, with everything that was not provoked because of it. @param missing `operation status …: reason` */
function reasons(missing: readonly string[]): string {
  const byReason = new Map<string, string[]>();
  for (const text of missing) {
    const end = text.indexOf(': ');
    const reason = text.slice(end + 2);
    byReason.set(reason, [...(byReason.get(reason) ?? []), text.slice(0, end)]);
  }
  const items = [...byReason].map(
    ([reason, keys]) =>
      `<li>${keys.length}: ${markUp(reason)}<div class="note">${keys.map(escapeXml).join(' · ')}</div></li>`,
  );
  return `<ul>${items.join('\n')}</ul>`;
}

/** How many of a suite had which outcome, without those that did not occur. */
function outcomes(resultList: readonly Result[]): string {
  return allOutcomes
    .map((outcome) => `${count(resultList, outcome)} ${outcome}`)
    .filter((text) => !text.startsWith('0 '))
    .join(', ');
}

export function html(report: Report): string {
  const { results, coverage, findings } = report;
  const row = ({ id, level, says, outcome, message, milliseconds }: Result) =>
    `<tr id="${id}"><td><code>${id}</code></td><td>${level}</td><td>${markUp(says)}${message === undefined ? '' : `<div class="note">${markUp(message)}</div>`}</td><td class="${outcome}">${outcome}</td><td>${seconds(milliseconds)} s</td></tr>`;
  const table = (rows: readonly Result[]) =>
    `<table><thead><tr><th>Id</th><th>Level</th><th>Requirement</th><th>Outcome</th><th>Time</th></tr></thead><tbody>${rows.map(row).join('\n')}</tbody></table>`;
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const unclear = results.filter(({ outcome }) => outcome === 'inconclusive');
  const suites = [...new Set(results.map(({ suite }) => suite))];
  const subject =
    coverage === undefined ? report.service : `${report.service} (version ${report.version}) and ${report.indexer}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Conformance report</title><style>${style}</style></head><body>
<h1>Conformance report</h1>
<p>${escapeXml(subject)}, ${escapeXml(report.startedAt)}, ${seconds(report.milliseconds)} s, seed ${report.seed}. ${madeWith(report)}</p>
${documentsOf(report)}
<p><strong>${count(results, 'passed')} of ${results.length} requirements passed</strong>, ${failures.length} failed, ${unclear.length} were inconclusive, ${count(results, 'skipped')} skipped, each with its reason.${unclear.length === 0 ? '' : ` <strong>${escapeXml(notCertified(unclear.length))}</strong>`}${report.interrupted === undefined ? '' : ` The run was interrupted: ${report.interrupted} requirements were not judged.`}
${coverage === undefined ? '' : `${coverage.operationsCalled} of ${coverage.operations} operations were called, ${coverage.statusesProvoked} of ${coverage.statuses} documented statuses and ${coverage.codesProvoked} of ${coverage.codes} documented codes provoked, ${coverage.answers} answers validated.`}</p>
${failures.length === 0 ? '' : `<h2>Failed</h2>${table(failures)}`}
${unclear.length === 0 ? '' : `<h2>Inconclusive</h2>${table(unclear)}`}
${findings.length === 0 ? '' : `<h2>Answers that do not match the contract</h2><table><thead><tr><th>Operation</th><th>Status</th><th>What</th></tr></thead><tbody>${[...new Set(findings.map(({ operation, status, what }) => `<tr><td><code>${escapeXml(operation)}</code></td><td>${status}</td><td>${escapeXml(what)}</td></tr>`))].join('\n')}</tbody></table>`}
${suites
  .map((suite) => {
    const suiteResults = results.filter((result) => result.suite === suite);
    return `<h2>${suite} <small class="note">${outcomes(suiteResults)}</small></h2>${table(suiteResults)}`;
  })
  .join('\n')}
${report.notRemoved.length === 0 ? '' : `<h2>Clean-ups that failed</h2><p>Each was tried twice. Remove by hand what is left.</p><ul>${report.notRemoved.map((text) => `<li>${escapeXml(text)}</li>`).join('')}</ul>`}
${
  coverage === undefined
    ? ''
    : `<h2>Documented statuses that were not provoked, and why</h2>${reasons(coverage.missing)}
<h2>Documented codes that were not provoked, and why</h2>${reasons(coverage.codesMissing)}`
}
</body></html>
`;
}
