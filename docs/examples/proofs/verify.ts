// Compares a root with the ledger: INDEX=http://localhost:8090 TX=… ROOT=… npx tsx verify.ts
const { INDEX: index, TX: tx, ROOT: root } = process.env;

const response = await fetch(`${index}/api/v1/verify/${tx}?root=${root}`);
const answer = await response.json();
if (!response.ok) throw new Error(`${answer.code} (${answer.request_id})`);
console.log([answer.verdict, answer.reason].filter(Boolean).join(' '));
// Only `true` means that this root stands in this transaction.
process.exitCode = answer.verified === true ? 0 : 1;
