import { remembered } from './remembered.js';

export default remembered(
  'MEM-010',
  'time',
  'Every instant that an answer calls now lies within its request, and nothing happened to a record before it began.',
);
