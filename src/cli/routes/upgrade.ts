import { buildCommand, buildRouteMap, numberParser, type RouteMap } from '@stricli/core'
import { clusterFlags, output } from './cluster-flags.ts'
import type { CliContext } from '../context.ts'

const status = buildCommand({
  loader: async () => (await import('../commands/system/upgrade.ts')).status,
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

const to = {
  kind: 'parsed',
  parse: String,
  brief: 'Version to go to, such as v0.2.0',
  placeholder: 'version',
  async proposeCompletions(this: CliContext, partial: string): Promise<string[]> {
    const { localVersions } = await import('../upgrade/release-versions.ts')
    return (await localVersions(this)).filter((version) => version.startsWith(partial))
  },
} as const
const dataDir = {
  kind: 'parsed',
  parse: String,
  optional: true,
  brief: 'Data directory with the releases (default: $STEADYVM_HOME, else ~/.steadyvm)',
  placeholder: 'dir',
} as const

const check = buildCommand({
  loader: async () => (await import('../commands/system/upgrade-check.ts')).check,
  parameters: { flags: { to, dataDir, output, ...clusterFlags }, aliases: { o: 'output' } },
  docs: { brief: 'Say what is in the way of an upgrade, and the command that settles it; writes nothing (exit code 2 for findings)' },
})

const plan = buildCommand({
  loader: async () => (await import('../commands/system/upgrade-check.ts')).plan,
  parameters: { flags: { to, dataDir, output, ...clusterFlags }, aliases: { o: 'output' } },
  docs: { brief: 'Show the steps of an upgrade and how long they take by and large; writes nothing (exit code 2 for something to do)' },
})

const report = buildCommand({
  loader: async () => (await import('../commands/system/upgrade-report.ts')).report,
  parameters: { flags: { output, ...clusterFlags }, aliases: { o: 'output' } },
  docs: { brief: 'Tell the story of the last upgrade: stages, guests, patches and events, from what is stored in the cluster' },
})

/** `steadyvm upgrade`. */
export const upgradeRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { check, plan, status, report },
  docs: {
    brief: 'Look ahead at, and follow, the way of the system from version to version',
    fullDescription: `Look ahead at, and follow, the way of the system from version to version. None of these commands changes anything: an upgrade begins, and goes back, with

  kubectl patch kubevirt kubevirt -n kubevirt --type merge -p '{"spec":{"imageTag":"v0.2.0"}}'`,
  },
})
