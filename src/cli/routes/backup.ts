import { buildCommand, type Command } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { dataDir } from './cluster-flags.ts'

const file = { parse: String, brief: 'Path of the backup, a tar archive', placeholder: 'file' } as const

/** `steadyvm backup`. */
export const backupCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/machine/backup.ts')).backup,
  parameters: {
    positional: { kind: 'tuple', parameters: [file] },
    flags: {
      dataDir,
      disks: { kind: 'boolean', default: false, brief: 'Also the disks of PersistentVolumes; nothing may run then' },
    },
  },
  docs: { brief: 'Back up all objects, certificates and keys of this machine; the control plane may run' },
})

/** `steadyvm restore`. */
export const restoreCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/machine/backup.ts')).restore,
  parameters: { positional: { kind: 'tuple', parameters: [file] }, flags: { dataDir } },
  docs: { brief: 'Replace the data of this machine by a backup; nothing may run, and what is replaced is kept' },
})
