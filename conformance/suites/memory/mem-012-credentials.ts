import { remembered } from './remembered.js';

export default remembered(
  'MEM-012',
  'access',
  'What ended stays ended, a link acts for one person, and no answer goes beyond the permissions.',
);
