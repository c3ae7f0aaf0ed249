import { remembered } from './remembered.js';

export default remembered(
  'MEM-004',
  'absence',
  'An absence is what was requested, and changes only as its requests say.',
);
