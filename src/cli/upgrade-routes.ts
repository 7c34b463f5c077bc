import { buildCommand, buildRouteMap, numberParser, type RouteMap } from '@stricli/core'
import { clusterFlags, output } from './cluster-flags.ts'
import type { CliContext } from './context.ts'

const status = buildCommand({
  loader: async () => (await import('./commands/upgrade.ts')).status,
  parameters: {
    flags: {
      watch: { kind: 'boolean', default: false, brief: 'Show each step until the system is where it is to be, or back' },
      timeout: { kind: 'parsed', parse: numberParser, default: '600', brief: 'Seconds to wait with --watch', placeholder: 's' },
      output,
      ...clusterFlags,
    },
    aliases: { w: 'watch', o: 'output' },
  },
  docs: { brief: 'Show how far the system is on its way to another version (exit code 2 while it is under way, or was taken back)' },
})

/** The way of the control plane from version to version. */
export const upgradeRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { status },
  docs: { brief: 'Follow the system from version to version' },
})
