/** Sends the requests of a collection for Bruno in their order, from the text of its files, as Bruno would. */
import { runInNewContext } from 'node:vm';

interface Sent {
  readonly name: string;
  readonly status: number;
  /** Whether the answer has the asserted status of the file. */
  readonly isExpected: boolean;
}

/**
 * @param files text by path, such as `Clock/Clock in.bru`
 * @param initialVariables variables of the environment
 * @returns the requests that need no permission of a person first
 */
export async function sendCollection(
  files: ReadonlyMap<string, string>,
  initialVariables: Readonly<Record<string, string>>,
): Promise<readonly Sent[]> {
  const variables = new Map<string, unknown>(Object.entries(initialVariables));
  const bru = { setVar: (name: string, value: unknown) => variables.set(name, value) };
  const fillIn = (text: string) =>
    text.replace(/\{\{(\S+?)\}\}/g, (_, name: string) =>
      name === '$guid' ? crypto.randomUUID() : String(variables.get(name)),
    );
  runInNewContext(blocksOf(files.get('collection.bru')!).get('script:pre-request')!, { bru });
  const sentRequests: Sent[] = [];
  for (const [, blocks] of inOrder(files)) {
    const name = entriesOf(blocks.get('meta'))['name']!;
    const [method, request] = [...blocks].find(([key]) => /^(get|post|patch|put|delete)$/.test(key))!;
    const { url, auth } = entriesOf(request) as { url: string; auth: string };
    let address = url;
    for (const [key, value] of Object.entries(entriesOf(blocks.get('params:path'))))
      address = address.replace(`:${key}`, encodeURIComponent(fillIn(value)));
    const content = blocks.get('body:json');
    const response = await fetch(fillIn(address), {
      method: method.toUpperCase(),
      headers: {
        ...Object.fromEntries(
          Object.entries(entriesOf(blocks.get('headers'))).map(([key, value]) => [key, fillIn(value)]),
        ),
        ...(auth === 'inherit' ? { authorization: `Bearer ${initialVariables['apiKey']}` } : {}),
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(content === undefined ? {} : { body: fillIn(content) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const res = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: isJson ? (JSON.parse(text) as unknown) : text,
    };
    const [, ...expectedStatuses] = entriesOf(blocks.get('assert'))['res.status']!.split(/,? /);
    sentRequests.push({ name, status: res.status, isExpected: expectedStatuses.includes(String(res.status)) });
    for (const [key, expression] of Object.entries(entriesOf(blocks.get('vars:post-response'))))
      variables.set(key, runInNewContext(expression, { res }));
    runInNewContext(blocks.get('script:post-response') ?? '', { bru, res });
  }
  return sentRequests;
}

type Blocks = ReadonlyMap<string, string>;

const blocksOf = (text: string): Blocks =>
  new Map([...text.matchAll(/^(\S+) \{\n([\s\S]*?)^\}$/gm)].map(([, name, content]) => [name!, content!]));

/** The entries that are not switched off. */
const entriesOf = (content = ''): Readonly<Record<string, string>> =>
  Object.fromEntries([...content.matchAll(/^ {2}([^~\s][^:\n]*): (.*)$/gm)].map(([, name, value]) => [name!, value!]));

function inOrder(files: ReadonlyMap<string, string>): readonly (readonly [string, Blocks])[] {
  const blocks = new Map([...files].map(([path, text]) => [path, blocksOf(text)]));
  const place = (path: string) => Number(entriesOf(blocks.get(path)?.get('meta'))['seq']);
  const folderOf = (path: string) => `${path.split('/')[0]}/folder.bru`;
  return [...blocks]
    .filter(
      ([path, blockMap]) =>
        path.includes('/') && blockMap.has('assert') && !/^ {2}tags: \[\n {4}link$/m.test(blockMap.get('meta')!),
    )
    .sort(([left], [right]) => place(folderOf(left)) - place(folderOf(right)) || place(left) - place(right));
}
