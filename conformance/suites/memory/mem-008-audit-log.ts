import { remembered } from './remembered.js';

export default remembered(
  'MEM-008',
  'audit',
  'Each write is in the audit log once, with who did it, about whom, in which company and when.',
);
