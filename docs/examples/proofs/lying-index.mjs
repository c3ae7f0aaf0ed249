// An index that lies: node lying-index.mjs http://localhost:8090 http://localhost:8099
import { createServer } from 'node:http';

const [index, own] = process.argv.slice(2);

createServer(async (request, response) => {
  const answer = await fetch(`${index}${request.url}`);
  const text = (await answer.text()).replace(
    '"verdict":"match","verified":true',
    '"verdict":"mismatch","verified":false,"differs":["merkle_root"]',
  );
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
}).listen(Number(new URL(own).port), '127.0.0.1');
