import createClient from 'openapi-fetch';
import type { paths } from '../out/openapi-typescript/service/schema.js';

const client = createClient<paths>({
  baseUrl: process.env['URL']!,
  headers: { Authorization: `Bearer ${process.env['KEY']}` },
});
const { data, error } = await client.GET('/api/v1/users', { params: { query: { limit: 1 } } });
if (error) throw new Error(error.code);
const id: number = data.data[0]!.id;
console.log(id);
