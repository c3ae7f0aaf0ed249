import { remembered } from './remembered.js';

export default remembered(
  'MEM-014',
  'refusal',
  'A refusal has the reason that its code says: nothing that the kit knows contradicts it.',
);
