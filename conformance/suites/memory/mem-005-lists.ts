import { remembered } from './remembered.js';

export default remembered(
  'MEM-005',
  'list',
  'A list holds what the caller may read and what its filters ask for, once each and in its order.',
  ['Lists of proofs are newest first, in pages.'],
);
