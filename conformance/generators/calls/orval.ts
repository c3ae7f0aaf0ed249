import { listUsers } from '../out/orval/service/client.js';

const absolute = globalThis.fetch;
globalThis.fetch = (path, init) => absolute(`${process.env['URL']}${String(path)}`, init);
const answer = await listUsers({ limit: 1 }, { headers: { Authorization: `Bearer ${process.env['KEY']}` } });
if (answer.status !== 200) throw new Error(JSON.stringify(answer.data));
const id: number = answer.data.data[0]!.id;
console.log(id);
