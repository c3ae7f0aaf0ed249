/**
 * ANCHOR_COMMAND of the demo: writes a root to the simulated ledger, and prints the digest of the transaction.
 *
 *   node service/dist/demo/write-to-ledger.js LEDGER_URL COMPANY_TOKEN PERIOD ROOT
 */
import { json } from './stage/anchoring.js';

const [ledgerUrl, companyToken, period, root] = process.argv.slice(2);
const proof = await json(`${ledgerUrl}/anchor`, { company_token: companyToken, period, merkle_root: root });
console.log((proof as { tx: string }).tx);
