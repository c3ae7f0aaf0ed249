import { listUsers } from '../out/kubb/service/src/clients/listUsers.js';

const page = await listUsers(
  { limit: 1 },
  { baseURL: process.env['URL']!, headers: { Authorization: `Bearer ${process.env['KEY']}` } },
);
const id: number = page.data[0]!.id;
console.log(id);
