import { remembered } from './remembered.js';

export default remembered(
  'MEM-006',
  'feed',
  'A position goes forward: changes come in their order, and none that was delivered long before comes again.',
);
