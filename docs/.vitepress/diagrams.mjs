// Diagrams are written in Mermaid and drawn at build, in the colours of the page: readers get an SVG and no script.
import { renderMermaidSVG } from 'beautiful-mermaid';

/** Draws the samples of `markdown` whose language is `mermaid`. */
export function renderDiagrams(markdown) {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    return info.trim() === 'mermaid' ? draw(content) : fence(tokens, index, ...rest);
  };
}

/** The drawing's own styles would name fonts on the internet and one set of colours: `theme/style.css` has ours. */
function draw(source) {
  const svg = renderMermaidSVG(source, { padding: 8, nodeSpacing: 12, layerSpacing: 24 })
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/^<svg([^>]*?) style="[^"]*"/, '<svg$1 role="img" aria-label="Diagram"');
  return `<div class="diagram" tabindex="0" v-pre>${svg}</div>\n`;
}
