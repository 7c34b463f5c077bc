import { buildCommand, buildRouteMap, numberParser, type RouteMap } from '@stricli/core'
import { allNamespaces, clusterFlags, namespace, output } from './cluster-flags.ts'
import type { CliContext } from './context.ts'

const report = buildCommand({
  loader: async () => (await import('./commands/revisions.ts')).report,
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

/** The copies of instance types and preferences that VMs and snapshots keep. */
export const revisionsRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { report },
  defaultCommand: 'report',
  docs: { brief: 'Look after the copies of instance types and preferences that VMs and snapshots keep' },
})
