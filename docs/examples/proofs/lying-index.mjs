// An index that lies: INDEX=http://localhost:8090 node lying-index.mjs
import { createServer } from 'node:http';

const { INDEX: index, PORT: port = '8099' } = process.env;

createServer(async (request, response) => {
  const answer = await fetch(`${index}${request.url}`);
  const text = (await answer.text()).replace(
    '"verdict":"match","verified":true',
    '"verdict":"mismatch","verified":false,"differs":["merkle_root"]',
  );
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
}).listen(Number(port), '127.0.0.1');
