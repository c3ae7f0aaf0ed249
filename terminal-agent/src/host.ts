/** Paths and permissions by operating system. All differences between systems are in this file. */
import { posix, win32 } from 'node:path';

export interface Host {
  /** Folder of the private key, the registration and the offline journal. */
  readonly stateFolder: string;
  /** Read if it exists; `CONFIG_FILE` names another one. */
  readonly configFile: string;
  /** Only Linux and the BSDs have pcscd; elsewhere PC/SC is part of the system. */
  readonly hasPcscd: boolean;
  /** File modes keep others from reading the key; otherwise the rights of the folder do. */
  readonly hasModes: boolean;
  /** The service file by which the system starts the program and keeps it running. */
  readonly service: ServiceWrapper;
}

export interface ServiceWrapper {
  readonly path: string;
  readonly content: string;
  /** The installer's commands, in order. */
  readonly steps: readonly string[];
}

export interface Program {
  /** Path of Node. */
  readonly node: string;
  /** Path of this program. */
  readonly script: string;
}

/** @param env the process's; on Windows it says where programs keep their data. */
export function hostOf(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  program: Program,
): Host {
  if (platform === 'win32') return windows(env['ProgramData'] ?? 'C:\\ProgramData', program);
  if (platform === 'darwin') return macOs(program);
  return linux(program);
}

function linux({ node, script }: Program): Host {
  const stateFolder = '/var/lib/clockproof-terminal';
  const path = '/etc/systemd/system/clockproof-terminal.service';
  return {
    stateFolder,
    configFile: '/etc/clockproof-terminal.conf',
    hasPcscd: true,
    hasModes: true,
    service: {
      path,
      content: systemdUnit({ node, script }),
      steps: [
        `useradd --system --home-dir ${stateFolder} --create-home clockproof-terminal`,
        'systemctl daemon-reload',
        'systemctl enable --now clockproof-terminal',
      ],
    },
  };
}

/** The unit of the Debian package and of installations by hand. */
export function systemdUnit({ node, script }: Program): string {
  return `[Unit]
Description=Clockproof terminal
Documentation=file:///usr/share/doc/clockproof-terminal/README.md
Wants=pcscd.socket network-online.target
After=pcscd.socket network-online.target

[Service]
User=clockproof-terminal
EnvironmentFile=-/etc/clockproof-terminal.conf
ExecStart=${systemdWord(node)} ${systemdWord(script)} run
StateDirectory=clockproof-terminal
StateDirectoryMode=0700
Restart=always
RestartSec=2
RestartPreventExitStatus=78
UMask=0077
# Memory that is free goes back to the system at once.
Environment=MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=65536

# Card readers are reached through the socket of pcscd, so no device is needed.
CapabilityBoundingSet=
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
# V8 protects its code with memory keys (@pkey). What is not allowed fails; it does not end the process.
SystemCallFilter=@system-service @pkey
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute stays off: V8 compiles to machine code.

[Install]
WantedBy=multi-user.target
`;
}

function macOs({ node, script }: Program): Host {
  const stateFolder = '/Library/Application Support/Clockproof Terminal';
  const path = '/Library/LaunchDaemons/com.clockproof.terminal.plist';
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>com.clockproof.terminal</string>
  <key>ProgramArguments</key>
  <array><string>${xml(node)}</string><string>${xml(script)}</string><string>run</string></array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`;
  return {
    stateFolder,
    configFile: posix.join(stateFolder, 'terminal.conf'),
    hasPcscd: false,
    hasModes: true,
    service: { path, content, steps: [`sudo launchctl bootstrap system ${path}`] },
  };
}

function windows(programData: string, { node, script }: Program): Host {
  const stateFolder = win32.join(programData, 'Clockproof Terminal');
  const path = win32.join(stateFolder, 'service.xml');
  // A task needs no further program: it starts with the machine, without anybody signed in, and again after a fault.
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><BootTrigger><Enabled>true</Enabled></BootTrigger></Triggers>
  <Principals><Principal id="Author"><UserId>S-1-5-19</UserId></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec><Command>${xml(node)}</Command><Arguments>"${xml(script)}" run</Arguments></Exec>
  </Actions>
</Task>
`;
  return {
    stateFolder,
    configFile: win32.join(stateFolder, 'terminal.conf'),
    hasPcscd: false,
    hasModes: false,
    service: {
      path,
      content,
      // S-1-5-19 is Local Service, S-1-5-18 the system, S-1-5-32-544 the administrators; their names are translated.
      steps: [
        `icacls "${stateFolder}" /inheritance:r /grant *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F *S-1-5-19:(OI)(CI)M`,
        `schtasks /Create /TN "Clockproof Terminal" /XML "${path}"`,
        'schtasks /Run /TN "Clockproof Terminal"',
      ],
    },
  };
}

/**
 * A path in a unit (systemd.service(5), "Command lines"): quoted if it has blanks, with specifiers and variables taken
 * as they are.
 */
function systemdWord(path: string): string {
  const literal = path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s'"\\;]/.test(literal) ? `"${literal}"` : literal;
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
