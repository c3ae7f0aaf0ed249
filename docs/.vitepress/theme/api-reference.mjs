// The interactive reference. Requests go to this installation, with the key that the reader types; it stays in the page.
const place = document.getElementById('reference');
const show = (spec) =>
  window.SwaggerUIBundle({
    spec,
    domNode: place,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
    supportedSubmitMethods: ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'],
  });
const url = place.dataset.document;
const read = async () => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  const spec = await response.json();
  leaveOptionalEmpty(spec);
  return spec;
};
read().then(show, () => {
  const sentence = document.createElement('p');
  sentence.setAttribute('role', 'alert');
  sentence.className = 'failed';
  sentence.textContent = 'The reference could not be loaded. Check your connection, then reload the page.';
  place.replaceChildren(sentence);
});

/** Examples would be filled in, and the first try would be refused for a cursor that nobody has been given. */
function leaveOptionalEmpty(spec) {
  const resolve = (part) =>
    part.$ref === undefined
      ? part
      : part.$ref
          .slice(2)
          .split('/')
          .reduce((within, key) => within[key], spec);
  for (const path of Object.values(spec.paths))
    for (const { parameters = [] } of [path, ...Object.values(path)])
      for (const parameter of parameters.map(resolve)) {
        if (parameter.required || parameter.schema === undefined) continue;
        parameter.schema = { ...resolve(parameter.schema) };
        for (const part of [parameter, parameter.schema]) {
          delete part.example;
          delete part.examples;
        }
      }
}

// The dialog of credentials puts the focus into its last field, a terminal's signature, and scrolls down to it. The
// first one is what readers have: a key. A form that was sent takes its focused field away, as the dialog does when it
// closes: the keyboard goes on where the reader was.
let credentials = null;
new MutationObserver(() => {
  const opened = place.querySelector('.modal-ux-content');
  const lost = document.activeElement === document.body;
  if (opened !== null && opened !== credentials) {
    opened.querySelector('input')?.focus();
    opened.scrollTo(0, 0);
  } else if (opened !== null && lost) opened.querySelector('.btn-done')?.focus();
  else if (opened === null && credentials !== null && lost) place.querySelector('.btn.authorize')?.focus();
  credentials = opened;
}).observe(place, { childList: true, subtree: true });
