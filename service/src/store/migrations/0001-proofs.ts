import type { Dialect } from '@clockproof/platform/database/database';

export const proofs = (d: Dialect): readonly string[] => [
  // Commitments of the service: to a closed month of a company, or without one to the audit log of the installation.
  // The seed makes empty places of the tree look like full ones; `upper_nodes`, base64, save a path the whole tree
  // (`proofs/month-proof.ts`).
  `CREATE TABLE commitments (
    id ${d.identity},
    company_id ${d.integer} REFERENCES companies (id),
    kind TEXT NOT NULL,
    period TEXT NOT NULL,
    revision ${d.integer} NOT NULL,
    attempt ${d.integer} NOT NULL,
    root TEXT NOT NULL,
    seed TEXT,
    upper_nodes TEXT,
    previous_root TEXT,
    made_at ${d.integer} NOT NULL,
    state TEXT NOT NULL,
    claimed_until ${d.integer},
    overdue_told_at ${d.integer})`,
  'CREATE UNIQUE INDEX commitments_of_company ON commitments (company_id, period, revision) WHERE company_id IS NOT NULL',
  'CREATE UNIQUE INDEX commitments_of_installation ON commitments (period) WHERE company_id IS NULL',
  // `parts`: their texts, deflated, in base64. Later versions would write others. An erased person leaves the leaf.
  `CREATE TABLE commitment_leaves (
    commitment_id ${d.integer} NOT NULL REFERENCES commitments (id),
    slot ${d.integer} NOT NULL,
    leaf TEXT NOT NULL,
    person_id ${d.integer} REFERENCES people (id),
    parts TEXT,
    PRIMARY KEY (commitment_id, slot))`,
  'CREATE INDEX commitment_leaves_by_person ON commitment_leaves (person_id)',
  'CREATE INDEX commitments_by_state ON commitments (state, id)',
  // Transactions of the ledger, as the anchor service reported them, and the latest verdict of each index.
  `CREATE TABLE anchors (
    id ${d.identity},
    commitment_id ${d.integer} NOT NULL REFERENCES commitments (id),
    tx TEXT NOT NULL,
    sender TEXT NOT NULL,
    package TEXT NOT NULL,
    chain TEXT NOT NULL,
    reported_at ${d.integer} NOT NULL)`,
  // A transaction may hold the roots of several commitments.
  'CREATE UNIQUE INDEX anchors_of_commitment ON anchors (commitment_id, tx)',
  `CREATE TABLE anchor_checks (
    anchor_id ${d.integer} NOT NULL REFERENCES anchors (id),
    index_url TEXT NOT NULL,
    verdict TEXT NOT NULL,
    checked_at ${d.integer} NOT NULL,
    PRIMARY KEY (anchor_id, index_url))`,
];
