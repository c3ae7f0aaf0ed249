// A first request: BASE_URL=http://localhost:8080 API_KEY=cpk_… npx tsx first-request.mts
const { BASE_URL: base, API_KEY: key } = process.env;

interface Problem {
  code: string;
  request_id: string;
}
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      // Repeat a request that got no answer with the same Idempotency-Key: it is done once.
      ...(body ? { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // The code is for programs; with the request id the operator finds the request.
  if (!response.ok) {
    const problem = (await response.json()) as Problem;
    throw new Error(`${problem.code} (${problem.request_id})`);
  }
  return (await response.json()) as Answer;
}

const { data: states } = await call<{ data: { user_id: number }[] }>('GET', '/clock/states?state=out&limit=1');
if (!states[0]) throw new Error('Everybody is clocked in.');
const { user_id } = states[0];
for (const verb of ['in', 'out']) {
  const { clock_state: now } = await call<{ clock_state: { state: string } }>('POST', `/clock/${verb}`, { user_id });
  console.log(user_id, now.state);
}
