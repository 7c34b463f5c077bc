import { buildCommand, buildRouteMap, numberParser, type RouteMap } from '@stricli/core'
import { allNamespaces, clusterFlags, namespace, output } from './cluster-flags.ts'
import type { CliContext } from '../context.ts'

const report = buildCommand({
  loader: async () => (await import('../commands/vm/revisions.ts')).report,
  parameters: {
    flags: {
      watch: {
        kind: 'boolean',
        default: false,
        brief: 'Show how far the controllers are, and report when nothing is left for them to do',
      },
      timeout: { kind: 'parsed', parse: numberParser, default: '600', brief: 'Seconds to wait with --watch', placeholder: 's' },
      namespace,
      allNamespaces,
      output,
      ...clusterFlags,
    },
    aliases: { w: 'watch', n: 'namespace', A: 'allNamespaces', o: 'output' },
  },
  docs: {
    brief: 'Say how the copies of instance types and preferences are, and which API versions can be removed (exit code 2 for findings)',
  },
})

const migrateStorage = buildCommand({
  loader: async () => (await import('../commands/system/migrate-storage.ts')).migrate,
  parameters: {
    positional: {
      kind: 'array',
      parameter: {
        parse: (text: string): string => text,
        brief: 'Name of a CustomResourceDefinition (default: all of VMs, instance types and preferences)',
        placeholder: 'definition',
      },
    },
    flags: {
      dryRun: {
        kind: 'boolean',
        default: false,
        brief: 'Say what would be rewritten, and write nothing (exit code 2 if there is something)',
      },
      output,
      ...clusterFlags,
    },
    aliases: { o: 'output' },
  },
  docs: { brief: 'Rewrite stored objects in the version in which new ones are stored, so that old versions can be removed' },
})

/** `steadyvm revisions`. */
export const revisionsRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { report, migrateStorage },
  defaultCommand: 'report',
  docs: { brief: 'Look after the copies of instance types and preferences that VMs and snapshots keep' },
})
