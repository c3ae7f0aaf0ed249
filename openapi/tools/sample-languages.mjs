// One request as a sample in curl, TypeScript and Python, each as short as a reader wants to copy it.

/** A value that the sample reads from its environment. */
export class Variable {
  constructor(name) {
    this.name = name;
  }
}

/** Path and query, with variables written as the language does inside a text. */
const target = ({ base, path, query }, write) =>
  [
    ...[base, ...path].map((part) => (part instanceof Variable ? write(part) : part)),
    ...query.map(([name, value], index) => {
      const text = value instanceof Variable ? write(value) : encodeURIComponent([value].flat().join(','));
      return `${index === 0 ? '?' : '&'}${name}=${text}`;
    }),
  ].join('');

/** A list in one line, or one value a line where they are long. */
const listOf = (values, step) =>
  values.join(', ').length <= 60
    ? `[${values.join(', ')}]`
    : `[\n${values.map((value) => `    ${step}${value},\n`).join('')}    ]`;

export function curl(request) {
  const { method, headers, credential, form, body } = request;
  // A shell would read these within double quotes.
  if (/[$`\\"]/.test(JSON.stringify(body ?? []).replaceAll('"', '')))
    throw new Error(`${request.path.join('')}: curl needs other quotes`);
  const write = ({ name }) => `$${name}`;
  const json = body !== undefined && !form;
  const lines = [
    `curl --fail-with-body${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} "${target(request, write)}"`,
    ...(credential === 'basic' ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...(credential instanceof Variable ? [`-H "Authorization: Bearer ${write(credential)}"`] : []),
    ...headers.map(([name, value]) => `-H "${name}: ${value instanceof Variable ? write(value) : value}"`),
    ...(form
      ? body.map(([name, value]) => `--data-urlencode "${name}=${value instanceof Variable ? write(value) : value}"`)
      : []),
    ...(json ? ['--json @- <<JSON'] : []),
  ];
  if (!json) return lines.join(' \\\n  ');
  const members = body.map(
    ([name, value]) => `  "${name}": ${value instanceof Variable ? write(value) : JSON.stringify(value)}`,
  );
  return `${lines.join(' \\\n  ')}\n{\n${members.join(',\n')}\n}\nJSON`;
}

const quote = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function fromEnvironment(variables) {
  const names = variables.map((name) => `${name} = ''`);
  const line = `const { ${names.join(', ')} } = process.env;`;
  return line.length <= 90 ? line : `const {\n${names.map((name) => `  ${name},\n`).join('')}} = process.env;`;
}

export function typescript(request) {
  const { method, headers, credential, form, body } = request;
  const write = ({ name }) => `\${${name}}`;
  const key = (name) => (/^\w+$/.test(name) ? name : quote(name));
  const value = (content) => {
    if (content instanceof Variable) return `Number(${content.name})`;
    if (typeof content === 'string') return quote(content);
    if (Array.isArray(content)) return listOf(content.map(value), '  ');
    if (content !== null && typeof content === 'object')
      return `{ ${Object.entries(content)
        .map(([name, member]) => `${key(name)}: ${value(member)}`)
        .join(', ')} }`;
    return String(content);
  };
  const text = (content) => (content instanceof Variable ? content.name : quote(content));
  const headerLines = [
    ...(credential === 'basic' ? [['Authorization', `\`Basic \${btoa(\`\${CLIENT_ID}:\${CLIENT_SECRET}\`)}\``]] : []),
    ...(credential instanceof Variable ? [['Authorization', `\`Bearer ${write(credential)}\``]] : []),
    ...(body !== undefined && !form ? [['Content-Type', "'application/json'"]] : []),
    ...headers.map(([name, content]) => [name, text(content)]),
  ];
  const members = body?.map(([name, content]) => `    ${key(name)}: ${form ? text(content) : value(content)},`);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headerLines.length === 0
      ? []
      : headerLines.length === 1
        ? [`  headers: { ${key(headerLines[0][0])}: ${headerLines[0][1]} },`]
        : ['  headers: {', ...headerLines.map(([name, content]) => `    ${key(name)}: ${content},`), '  },']),
    ...(body === undefined
      ? []
      : form
        ? ['  body: new URLSearchParams({', ...members, '  }),']
        : ['  body: JSON.stringify({', ...members, '  }),']),
  ];
  return [
    fromEnvironment(request.variables),
    '',
    options.length === 0
      ? `const response = await fetch(\`${target(request, write)}\`);`
      : [`const response = await fetch(\`${target(request, write)}\`, {`, ...options, '});'].join('\n'),
    'if (!response.ok) throw new Error(await response.text());',
    'console.log(await response.text());',
  ].join('\n');
}

export function python(request) {
  const { method, headers, credential, form, body } = request;
  const write = ({ name }) => `{${name}}`;
  const text = (content) => (content instanceof Variable ? content.name : JSON.stringify(content));
  const value = (content) => {
    if (content instanceof Variable) return `int(${content.name})`;
    if (content === null) return 'None';
    if (typeof content === 'boolean') return content ? 'True' : 'False';
    if (Array.isArray(content)) return listOf(content.map(value), '    ');
    if (typeof content === 'object')
      return `{${Object.entries(content)
        .map(([name, member]) => `${JSON.stringify(name)}: ${value(member)}`)
        .join(', ')}}`;
    return JSON.stringify(content);
  };
  const headerLines = [
    ...(credential === 'basic' ? [['Authorization', 'f"Basic {credentials}"']] : []),
    ...(credential instanceof Variable ? [['Authorization', `f"Bearer ${write(credential)}"`]] : []),
    ...(body !== undefined && !form ? [['Content-Type', '"application/json"']] : []),
    ...headers.map(([name, content]) => [name, text(content)]),
  ];
  const members = body?.map(([name, content]) => `    "${name}": ${form ? text(content) : value(content)},`);
  const imports = [
    ...(credential === 'basic' ? ['base64'] : []),
    ...(body !== undefined && !form ? ['json'] : []),
    'os',
    ...(form ? ['urllib.parse'] : []),
    'urllib.request',
  ];
  return [
    ...imports.map((name) => `import ${name}`),
    '',
    ...request.variables.map((name) => `${name} = os.environ["${name}"]`),
    ...(credential === 'basic'
      ? ['credentials = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()']
      : []),
    ...(body === undefined ? [] : ['body = {', ...members, '}']),
    '',
    ...(headerLines.length === 0
      ? [`request = f"${target(request, write)}"`]
      : [
          'request = urllib.request.Request(',
          `    f"${target(request, write)}",`,
          ...(method === 'GET' ? [] : [`    method="${method}",`]),
          ...(headerLines.length === 1
            ? [`    headers={"${headerLines[0][0]}": ${headerLines[0][1]}},`]
            : ['    headers={', ...headerLines.map(([name, content]) => `        "${name}": ${content},`), '    },']),
          ...(body === undefined
            ? []
            : [form ? '    data=urllib.parse.urlencode(body).encode(),' : '    data=json.dumps(body).encode(),']),
          ')',
        ]),
    'with urllib.request.urlopen(request) as response:',
    '    print(response.read().decode())',
  ].join('\n');
}
