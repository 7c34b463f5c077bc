import { buildCommand, numberParser, type Command } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { clusterFlags, namespace } from './cluster-flags.ts'

const target = {
  kind: 'tuple',
  parameters: [{ parse: String, brief: 'Name of the VM, also as vm/NAME or NAMESPACE/NAME', placeholder: 'vm' }],
} as const
const dryRun = { kind: 'boolean', default: false, brief: 'Validate the request on the server without making it' } as const
const force = { kind: 'boolean', default: false, brief: 'Give the guest only --grace-period seconds to power off' } as const
const gracePeriod = {
  kind: 'parsed',
  parse: numberParser,
  optional: true,
  brief: 'Seconds that the guest gets with --force; 0 switches it off',
  placeholder: 's',
} as const
const aliases = { n: 'namespace' } as const

/** virtctl's `start`. */
export const startCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/vm-lifecycle.ts')).start,
  parameters: {
    positional: target,
    flags: {
      paused: { kind: 'boolean', default: false, brief: 'Start the guest paused' },
      dryRun,
      namespace,
      ...clusterFlags,
    },
    aliases,
  },
  docs: { brief: 'Start a VM' },
})

/** virtctl's `stop`. */
export const stopCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/vm-lifecycle.ts')).stop,
  parameters: { positional: target, flags: { force, gracePeriod, dryRun, namespace, ...clusterFlags }, aliases },
  docs: { brief: 'Stop a VM by its power button' },
})

/** virtctl's `restart`. */
export const restartCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/vm-lifecycle.ts')).restart,
  parameters: { positional: target, flags: { force, gracePeriod, dryRun, namespace, ...clusterFlags }, aliases },
  docs: { brief: 'Restart a VM: its guest powers off, and a new one starts' },
})

/** virtctl's `migrate`. */
export const migrateCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/vm-lifecycle.ts')).migrate,
  parameters: { positional: target, flags: { dryRun, namespace, ...clusterFlags }, aliases },
  docs: { brief: 'Migrate the running guest of a VM to another node' },
})
