// VitePress gives the tabs of code groups random names, which would make each build another.

export function nameTabs(markdown) {
  const { rules } = markdown.renderer;
  const open = rules['container_code-group_open'];
  rules['container_code-group_open'] = (tokens, index, ...more) => {
    const names = new Map();
    return open(tokens, index, ...more).replace(
      / (name|id|for)="(group|tab)-([^"]+)"/g,
      (_, attribute, kind, random) => {
        if (!names.has(random)) names.set(random, `${kind}-${index}-${names.size}`);
        return ` ${attribute}="${names.get(random)}"`;
      },
    );
  };
}
