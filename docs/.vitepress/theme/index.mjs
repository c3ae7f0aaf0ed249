// VitePress's own look in the colours of the pages, with a link from each page to its Markdown.
import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import ApiReference from './api-reference.mjs';
import './style.css';

const MarkdownLink = () => {
  const { page } = useData();
  return h('p', { class: 'as-markdown' }, [
    h('a', { href: withBase(`/${page.value.relativePath}`), target: '_self' }, 'This page as Markdown'),
  ]);
};

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
  enhanceApp({ app }) {
    app.component('ApiReference', ApiReference);
  },
};
