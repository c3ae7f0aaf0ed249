// The interactive reference. Requests go to this installation, with the key that the reader types; it stays in the page.
const place = document.getElementById('reference');
window.SwaggerUIBundle({
  url: place.dataset.document,
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
