// A plugin of Swagger UI: each operation shows its request as a sample, in the language that the reader chose last.

const languages = [
  ['curl', 'curl', 'bash'],
  ['typescript', 'TypeScript', 'javascript'],
  ['python', 'Python', 'python'],
];
let chosenLanguage = 'curl';

/**
 * @param samples by operationId, as `openapi/tools/samples.mjs` makes them
 * @param addressOf the address of a page
 */
export const samplesPlugin = (spec, samples, addressOf) => () => ({
  wrapComponents: {
    parameters: (Parameters, { React }) => {
      const h = React.createElement;
      const meanings = addressOf('reference/samples.md');
      function Sample({ sample, getComponent }) {
        const [language, choose] = React.useState(chosenLanguage);
        const [, title, highlighting] = languages.find(([name]) => name === language);
        const HighlightCode = getComponent('HighlightCode', true);
        const buttons = languages.map(([name, label]) =>
          h(
            'button',
            {
              key: name,
              type: 'button',
              'aria-pressed': name === language,
              onClick: () => {
                chosenLanguage = name;
                choose(name);
              },
            },
            label,
          ),
        );
        return [
          h('div', { key: 'languages', className: 'languages', role: 'group', 'aria-label': 'Language' }, buttons),
          h(
            'p',
            { key: 'variables' },
            `Set ${listOf(sample.variables)}. `,
            h('a', { href: meanings }, 'What they hold'),
          ),
          h(
            HighlightCode,
            { key: title, language: highlighting, canCopy: true, className: 'microlight' },
            sample[language],
          ),
        ];
      }
      return (props) => {
        const [path, method] = props.pathMethod;
        const { guide, note, ...sample } = samples[spec.paths[path][method].operationId];
        return h(
          React.Fragment,
          null,
          h(
            'div',
            { className: 'samples' },
            h('h4', { className: 'opblock-title' }, 'Sample'),
            guide === undefined
              ? h(Sample, { sample, getComponent: props.getComponent })
              : h('p', null, note, ' ', h('a', { href: addressOf(guide) }, 'Read the guide'), '.'),
          ),
          h(Parameters, props),
        );
      };
    },
  },
});

const listOf = (names) => (names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);
