import { remembered } from './remembered.js';

export default remembered(
  'MEM-002',
  'record',
  'A record is what was written, says the same wherever it is shown, and no older version comes after a newer one.',
);
