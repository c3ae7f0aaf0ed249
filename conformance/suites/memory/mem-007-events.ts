import { remembered } from './remembered.js';

export default remembered(
  'MEM-007',
  'event',
  'Each change makes one event, with the record after it, the same on every way and without a gap.',
);
