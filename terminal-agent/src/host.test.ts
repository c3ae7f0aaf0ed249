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
    expect(host.service.content).toContain('ExecStart=/usr/bin/node /opt/a & b/main.js run\n');
    // Without somebody's hand a fault of the settings does not go away.
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
});
