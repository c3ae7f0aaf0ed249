import { remembered } from './remembered.js';

export default remembered(
  'MEM-011',
  'door',
  'A terminal greets the person of the badge, in their state, and counts wrong PINs down.',
);
