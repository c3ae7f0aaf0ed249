import { remembered } from './remembered.js';

export default remembered(
  'MEM-009',
  'repeat',
  'The same Idempotency-Key gets the same answer, and an ETag stands for one version.',
);
