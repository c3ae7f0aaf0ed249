import { createApiClient } from '../out/openapi-zod-client/service/client.js';

const api = createApiClient(process.env['URL']!, {
  axiosConfig: { headers: { Authorization: `Bearer ${process.env['KEY']}` } },
});
const page = await api.get('/api/v1/users', { queries: { limit: 1 } });
const id: number = page.data[0]!.id;
console.log(id);
