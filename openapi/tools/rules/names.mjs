// A schema is a class in a generated client.
import { collectComponents } from './place.mjs';

/** Words that are keywords or built-in types of the languages clients are generated for, in lower case. */
const reservedWords = new Set(
  `abstract any array as assert async await boolean break byte case catch char class const continue date default def
  defer delete do double else enum error except exception export extends false final finally float fn for from func
  function global goto if implements import in int integer interface is lambda let list long loop map match module mut
  namespace native new nil none nonlocal not null number object operator or package pass print private protected public
  raise range record ref return self set short static str string struct super switch symbol synchronized this throw
  throws trait transient true try type typeof union unsafe use var void volatile where while with yield`.split(/\s+/),
);

/** No parameter has the name of a schema, since some generators write all of them into one space of names. */
export function schemaNames() {
  const { schemas, parameters, visitors } = collectComponents();
  const faultOf = (name) => {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) return 'a schema has a name in PascalCase';
    if (reservedWords.has(name.toLowerCase())) return `${name} is a word of a language that clients are generated for`;
    if (parameters.has(name)) return `${name} is also the name of a parameter`;
  };
  return {
    ...visitors,
    Root: {
      leave(_root, { report }) {
        for (const [name, { location }] of schemas) {
          const message = faultOf(name);
          if (message !== undefined) report({ message, location });
        }
      },
    },
  };
}
