import { remembered } from './remembered.js';

export default remembered(
  'MEM-003',
  'clock',
  'Each stamp follows from the state before it, and makes the state and the entry that belong to it.',
);
