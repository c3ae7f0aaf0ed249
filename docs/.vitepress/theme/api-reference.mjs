// The interactive reference. Requests go to this installation, with the key that the reader types; it stays in the page.

import { useData, withBase } from 'vitepress';
import { defineComponent, h, onBeforeUnmount, onMounted, ref, watchEffect } from 'vue';
import './api-reference.css';
import { samplesPlugin } from './request-samples.mjs';

/** Only this page needs Swagger UI: its files are served as they are. */
function load(name, attributes) {
  const element = Object.assign(document.createElement(name), attributes);
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = reject;
    // Before the styles of the theme, which correct them.
    document.head.prepend(element);
  });
}

export default defineComponent(() => {
  const { frontmatter, isDark, page } = useData();
  const place = ref();
  const hasFailed = ref(false);
  const focus = new FocusKeeper(() => place.value);
  let ui;
  // Swagger UI reads the operation in the address when it opens, and not afterwards.
  const openOperation = () => ui?.getSystem().layoutActions.parseDeepLinkHash(location.hash);
  onMounted(async () => {
    watchEffect(() => document.documentElement.classList.toggle('dark-mode', isDark.value));
    try {
      const read = async (url) => {
        const response = await fetch(url);
        if (!response.ok) throw new Error(`${url}: status ${response.status}`);
        return response.json();
      };
      const [spec, samples] = await Promise.all([
        read(withBase(frontmatter.value.document)),
        read(withBase(frontmatter.value.samples)),
        load('link', { rel: 'stylesheet', href: withBase('/reference/swagger-ui.css') }),
        load('script', { src: withBase('/reference/swagger-ui-bundle.js') }),
      ]);
      ui = window.SwaggerUIBundle({
        spec,
        plugins: [samplesPlugin(spec, samples, (guide) => withBase(`/${guide.replace(/md$/, 'html')}`))],
        domNode: place.value,
        deepLinking: true,
        docExpansion: 'list',
        defaultModelsExpandDepth: -1,
        displayRequestDuration: true,
        filter: true,
        persistAuthorization: false,
        tryItOutEnabled: true,
        validatorUrl: null,
      });
      focus.start();
      window.addEventListener('hashchange', openOperation);
    } catch {
      hasFailed.value = true;
    }
  });
  onBeforeUnmount(() => {
    focus.stop();
    window.removeEventListener('hashchange', openOperation);
  });
  return () => {
    const source = withBase(frontmatter.value.source);
    return h('div', { class: 'reference vp-raw' }, [
      h('h1', page.value.title),
      h('p', ['Requests go to this installation. ', h('a', { href: source, target: '_self' }, 'The document as JSON')]),
      hasFailed.value &&
        h('p', { role: 'alert' }, 'The reference could not be loaded. Check your connection, then reload the page.'),
      h('div', { ref: place }),
    ]);
  };
});

/**
 * The dialog of credentials puts the focus into its last field, a terminal's signature, and scrolls down to it. The
 * first one is what readers have: a key. A form that was sent takes its focused field away, as the dialog does when it
 * closes: the keyboard goes on where the reader was.
 */
class FocusKeeper {
  #dialog = null;
  #observer;
  #placeOf;

  constructor(placeOf) {
    this.#placeOf = placeOf;
  }

  start() {
    this.#observer = new MutationObserver(() => this.#keep());
    this.#observer.observe(this.#placeOf(), { childList: true, subtree: true });
  }

  stop() {
    this.#observer?.disconnect();
  }

  #keep() {
    const place = this.#placeOf();
    const dialog = place.querySelector('.modal-ux-content');
    const isLost = document.activeElement === document.body;
    if (dialog !== null && dialog !== this.#dialog) {
      dialog.querySelector('input')?.focus();
      dialog.scrollTo(0, 0);
    } else if (dialog !== null && isLost) dialog.querySelector('.btn-done')?.focus();
    else if (dialog === null && this.#dialog !== null && isLost) place.querySelector('.btn.authorize')?.focus();
    this.#dialog = dialog;
  }
}
