import { remembered } from './remembered.js';

export default remembered(
  'MEM-008',
  'audit',
  'Each write is in the audit log once, with who did it, about whom, in which company and when.',
  [
    'Writes, terminal stamps (with the terminal) and refused card proofs are in the audit log.',
    'Every write is in the audit log with the extension.',
    'The audit log names who, through what, what and when, is protected against changes, and holds no secrets.',
  ],
);
