import { Api } from '../out/swagger-typescript-api/service/client.js';

const api = new Api({
  baseUrl: process.env['URL']!,
  baseApiParams: { headers: { Authorization: `Bearer ${process.env['KEY']}` } },
});
const { data } = await api.api.listUsers({ limit: 1 });
const id: number = data.data[0]!.id;
console.log(id);
