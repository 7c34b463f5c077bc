import { buildCommand, numberParser, type Command } from '@stricli/core'
import { clusterFlags, output } from './cluster-flags.ts'
import type { CliContext } from '../context.ts'

/** `steadyvm uninstall`. */
export const uninstallCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/system/uninstall.ts')).uninstall,
  parameters: {
    flags: {
      explain: { kind: 'boolean', default: false, brief: 'List every layer that protects the system, and what to do; removes nothing' },
      yes: { kind: 'boolean', default: false, brief: 'Remove it; without, say what would be removed' },
      keepComponents: {
        kind: 'boolean',
        default: false,
        brief: 'Remove HyperConverged and its operator only; KubeVirt and the other components stay as they are',
      },
      timeout: { kind: 'parsed', parse: numberParser, default: '600', brief: 'Seconds to wait for the end', placeholder: 's' },
      output,
      ...clusterFlags,
    },
    aliases: { o: 'output' },
  },
  docs: {
    brief: 'Remove the system from the cluster in order, or say what protects it (exit code 2 for findings, 3 when it is refused)',
    fullDescription: `Remove the system from the cluster: the HyperConverged object with the components, then the operators, their webhooks and rights, and the CRDs last. The namespace, disks and snapshots of disks stay.

An interrupted removal continues with the same command. Where the operator of HyperConverged does not run any more, the command does its work.

  steadyvm uninstall --explain
  steadyvm uninstall --yes`,
  },
})
