import { describe, expect, it } from '@jest/globals';
import { hostOf, type Program } from './host.js';

const program: Program = { node: '/usr/bin/node', script: '/opt/a & b/main.js' };

describe('what differs by operating system', () => {
  it('on Linux: pcscd, file modes and a unit that keeps nothing but its own folder', () => {
    const host = hostOf('linux', {}, program);
    expect(host).toMatchObject({
      stateFolder: '/var/lib/clockproof-terminal',
      configFile: '/etc/clockproof-terminal.conf',
      hasPcscd: true,
      hasModes: true,
    });
    expect(host.service.content).toContain('ExecStart=/usr/bin/node "/opt/a & b/main.js" run\n');
    const oddHost = hostOf('linux', {}, { node: '/opt/50%/node', script: '/srv/$x/"q"/main.js' });
    expect(oddHost.service.content).toContain('ExecStart=/opt/50%%/node "/srv/$$x/\\"q\\"/main.js" run\n');
    // A fault of the settings does not go away without a person.
    expect(host.service.content).toContain('RestartPreventExitStatus=78');
    expect(host.service.content).toContain('StateDirectoryMode=0700');
  });

  it('on macOS: no pcscd, and a launch daemon', () => {
    const host = hostOf('darwin', {}, program);
    expect(host).toMatchObject({ hasPcscd: false, hasModes: true });
    expect(host.stateFolder).toMatch(/^\/Library\//);
    expect(host.service.content).toContain('<string>/opt/a &amp; b/main.js</string>');
  });

  it('on Windows: rights of the folder in place of file modes, by numbers that no language changes', () => {
    const host = hostOf('win32', { ProgramData: 'D:\\Data' }, { node: 'C:\\node.exe', script: 'C:\\t\\main.js' });
    expect(host).toMatchObject({
      stateFolder: 'D:\\Data\\Clockproof Terminal',
      configFile: 'D:\\Data\\Clockproof Terminal\\terminal.conf',
      hasPcscd: false,
      hasModes: false,
    });
    expect(host.service.steps[0]).toMatch(/^icacls .* \/inheritance:r .*\*S-1-5-19:/);
    expect(host.service.content).toContain('<Arguments>"C:\\t\\main.js" run</Arguments>');
    expect(hostOf('win32', {}, program).stateFolder).toMatch(/^C:\\ProgramData\\/);
  });

  it.each(['win32', 'darwin'] as const)('on %s: a file that is well-formed, whatever the paths', (platform) => {
    const { content } = hostOf(platform, {}, { node: 'C:\\<a> & "b"\\node.exe', script: "it's/main.js" }).service;
    expect(content.match(/&(?!amp;|lt;|quot;)/)).toBeNull();
    // Each tag that opens is closed, in order.
    const open: string[] = [];
    for (const [, slash, name, empty] of content.matchAll(/<(\/?)([A-Za-z]+)[^<>]*?(\/?)>/g)) {
      if (empty === '/') continue;
      if (slash === '') open.push(name!);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });

  it('the host says what to type, in an order that works: the folder before what runs in it', () => {
    const windows = hostOf('win32', {}, program).service;
    expect(windows.steps.map((step) => step.split(' ')[0])).toEqual(['icacls', 'schtasks', 'schtasks']);
    expect(windows.steps[1]).toContain(`/XML "${windows.path}"`);
    const mac = hostOf('darwin', {}, program).service;
    expect(mac.steps).toEqual([`sudo launchctl bootstrap system ${mac.path}`]);
    expect(mac.path).toMatch(/^\/Library\/LaunchDaemons\/.*\.plist$/);
  });
});
