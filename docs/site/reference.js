// The interactive reference. Requests go to this installation, with the key that the reader types; it stays in the page.
const place = document.getElementById('reference');
/** Where the document cannot be fetched, its address: the page says then what is wrong with it. */
const show = (document) =>
  window.SwaggerUIBundle({
    ...document,
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
fetch(url)
  .then((response) => response.json())
  .then(
    (spec) => {
      leaveOptionalEmpty(spec);
      show({ spec });
    },
    () => show({ url }),
  );

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
// first one is what readers have: a key.
let credentials = null;
new MutationObserver(() => {
  const opened = place.querySelector('.modal-ux-content');
  if (opened === credentials) return;
  credentials = opened;
  opened?.querySelector('input')?.focus();
  opened?.scrollTo(0, 0);
}).observe(place, { childList: true, subtree: true });
