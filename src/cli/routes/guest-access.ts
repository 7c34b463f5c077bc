import { buildCommand, numberParser, type Command } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { clusterFlags, namespace } from './cluster-flags.ts'

const text = (brief: string, placeholder: string) => ({ kind: 'parsed', parse: String, optional: true, brief, placeholder }) as const

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
