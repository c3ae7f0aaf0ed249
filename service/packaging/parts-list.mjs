/** The parts list (SBOM) of an archive, as CycloneDX. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/**
 * What npm has installed in a folder, and the packages in the pages. The same parts have the same bytes: the time is
 * that of the commit, the serial number comes from the content.
 *
 * @param {string} folder
 * @param {ReturnType<typeof import('./notice.mjs').readPackage>[]} pagePackages
 * @param {number} seconds since 1970
 */
export function partsListOf(folder, pagePackages, seconds) {
  const npm = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {
    cwd: folder,
    maxBuffer: 2 ** 28,
  });
  const list = JSON.parse(npm);
  list.metadata.timestamp = new Date(seconds * 1000).toISOString();
  const components = new Map(list.components.map((component) => [component['bom-ref'], component]));
  for (const { name, version, licence } of pagePackages) {
    const reference = `${name}@${version}`;
    if (components.has(reference)) continue;
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const licenses = [{ license: { id: licence } }];
    components.set(reference, {
      'bom-ref': reference,
      type: 'library',
      name,
      version,
      scope: 'required',
      purl,
      licenses,
    });
    list.dependencies.push({ ref: reference, dependsOn: [] });
  }
  list.components = [...components.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  list.serialNumber = '';
  const hash = createHash('sha256').update(JSON.stringify(list)).digest('hex');
  // A UUID of version 8, made from a hash (RFC 9562, 5.8).
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ];
  list.serialNumber = `urn:uuid:${parts.join('-')}`;
  return `${JSON.stringify(list, null, 2)}\n`;
}
