import { defaults, listUsers } from '../out/oazapfts/service/client.js';

defaults.baseUrl = process.env['URL']!;
defaults.headers = { Authorization: `Bearer ${process.env['KEY']}` };
const answer = await listUsers({ limit: 1 });
if (answer.status !== 200) throw new Error(String(answer.status));
const id: number = answer.data.data[0]!.id;
console.log(id);
