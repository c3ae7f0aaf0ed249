import { remembered } from './remembered.js';

export default remembered(
  'MEM-013',
  'index',
  'A proof never changes or goes away, verdicts follow from the proofs, and numbers of the index only grow.',
);
