import { client } from '../out/hey-api-openapi-ts/service/client.gen.js';
import { listUsers } from '../out/hey-api-openapi-ts/service/sdk.gen.js';

client.setConfig({ baseUrl: process.env['URL']!, auth: () => process.env['KEY']! });
const { data, error } = await listUsers({ query: { limit: 1 } });
if (error || !data) throw new Error(JSON.stringify(error));
const id: number = data.data[0]!.id;
console.log(id);
