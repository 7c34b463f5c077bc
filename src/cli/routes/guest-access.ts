import { buildCommand, numberParser, type Command } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { clusterFlags, dataDir, namespace } from './cluster-flags.ts'

const text = (brief: string, placeholder: string) => ({ kind: 'parsed', parse: String, optional: true, brief, placeholder }) as const

const vmArgument = { parse: String, brief: 'Name of the VM, also as vm/NAME, vmi/NAME or NAMESPACE/NAME', placeholder: 'vm' } as const

/** virtctl's `console`. */
export const consoleCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/console.ts')).console,
  parameters: {
    positional: { kind: 'tuple', parameters: [vmArgument] },
    flags: {
      dataDir,
      run: text("Run one command in the guest's shell and end with its exit code", 'command'),
      timeout: {
        kind: 'parsed',
        parse: numberParser,
        default: '60',
        brief: 'Seconds to wait for the guest, and for the answer with --run',
        placeholder: 's',
      },
      namespace,
      ...clusterFlags,
    },
    aliases: { n: 'namespace' },
  },
  docs: { brief: 'Connect to the serial console of a guest (leave with Ctrl-])' },
})

/** virtctl's `vnc`. */
export const vncCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/vnc.ts')).vnc,
  parameters: {
    positional: { kind: 'tuple', parameters: [vmArgument] },
    flags: {
      address: { kind: 'parsed', parse: String, default: '127.0.0.1', brief: 'Address of this machine to listen on', placeholder: 'ip' },
      port: { kind: 'parsed', parse: numberParser, default: '0', brief: 'Port to listen on (default: any)', placeholder: 'port' },
      proxyOnly: { kind: 'boolean', default: false, brief: 'Start no viewer: print the port as JSON, and serve viewers until Ctrl-C' },
      namespace,
      ...clusterFlags,
    },
    aliases: { n: 'namespace' },
  },
  docs: { brief: "Show a guest's display in a VNC viewer" },
})

/** virtctl's `port-forward`. */
export const portForwardCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/port-forward.ts')).portForward,
  parameters: {
    positional: {
      kind: 'array',
      parameter: {
        parse: String,
        brief: 'Name of the VM, also as vm/NAME or NAMESPACE/NAME, and then ports: [udp/]LOCAL[:REMOTE]',
        placeholder: 'vm ports',
      },
      minimum: 2,
    },
    flags: {
      address: { kind: 'parsed', parse: String, default: '127.0.0.1', brief: 'Address of this machine to listen on', placeholder: 'ip' },
      stdio: { kind: 'boolean', default: false, brief: 'Forward standard input and output to the port' },
      namespace,
      ...clusterFlags,
    },
    aliases: { n: 'namespace' },
  },
  docs: { brief: 'Forward ports of this machine to a guest (end with Ctrl-C)' },
})

/** virtctl's `ssh`. */
export const sshCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/ssh.ts')).ssh,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'Name of the VM, also as USER@NAME, vm/NAME or NAMESPACE/NAME', placeholder: 'vm' }],
    },
    flags: {
      username: text('User in the guest (default: that of ssh)', 'user'),
      identityFile: text('File of the private key', 'file'),
      port: { kind: 'parsed', parse: numberParser, default: '22', brief: 'Port of the SSH server in the guest', placeholder: 'port' },
      knownHosts: text('File with keys of hosts (default: ~/.ssh/kubevirt_known_hosts)', 'file'),
      localSshOpts: {
        kind: 'parsed',
        parse: String,
        variadic: true,
        optional: true,
        brief: 'Options of ssh, as in "-o StrictHostKeyChecking=no"',
        placeholder: 'options',
      },
      command: text('Command to run in place of a shell', 'command'),
      namespace,
      ...clusterFlags,
    },
    aliases: { n: 'namespace', l: 'username', i: 'identityFile', p: 'port', t: 'localSshOpts', c: 'command' },
  },
  docs: { brief: 'Open a shell in a guest by SSH, through the API server' },
})
