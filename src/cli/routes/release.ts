import { buildCommand, buildRouteMap, type RouteMap } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { dataDir } from './cluster-flags.ts'

const build = buildCommand({
  loader: async () => (await import('../commands/system/release.ts')).build,
  parameters: {
    flags: {
      dataDir,
      version: { kind: 'parsed', parse: String, brief: 'Version of the release, such as v0.2.0', placeholder: 'version' },
      qemu: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the QEMU that its guests run on, with bin/qemu-system-x86_64 in it (default: the one on PATH)',
        placeholder: 'folder',
      },
    },
  },
  docs: { brief: 'Make a release of this checkout: every component in one version, which changes no more' },
})

const list = buildCommand({
  loader: async () => (await import('../commands/system/release.ts')).list,
  parameters: {
    flags: { dataDir, output: { kind: 'enum', values: ['text', 'json'], default: 'text', brief: 'How to print: text or json' } },
    aliases: { o: 'output' },
  },
  docs: { brief: 'Show the releases on this machine, after comparing each file with its checksum' },
})

/** `steadyvm release`. */
export const releaseRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { build, list },
  docs: { brief: 'Make and show releases: versions of the components that lie on this machine' },
})
