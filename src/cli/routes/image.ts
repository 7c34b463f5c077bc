import { buildCommand, buildRouteMap, type RouteMap } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { output } from './cluster-flags.ts'

const build = buildCommand({
  loader: async () => (await import('../commands/system/image.ts')).build,
  parameters: {
    flags: {
      output: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the images, an OCI image layout; an older layout there is replaced (default: ./steadyvm-images-VERSION)',
        placeholder: 'dir',
      },
      version: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Version and tag of the images (default: that of this checkout)',
        placeholder: 'version',
      },
      registry: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Registry in the names of the images (default: steadyvm.io)',
        placeholder: 'registry',
      },
      format: {
        kind: 'enum',
        values: ['layout', 'archive'],
        default: 'layout',
        brief: 'layout, or archive: also DIR/images.tar, for "ctr images import" and "docker load"',
      },
      qemu: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the QEMU of the images, with bin/qemu-system-x86_64 in it (default: the one on PATH)',
        placeholder: 'folder',
      },
      dataDir: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Data directory with the kernel of the demo guest (default: $STEADYVM_HOME, else ~/.steadyvm)',
        placeholder: 'dir',
      },
    },
  },
  docs: { brief: 'Build the container images of all components from this checkout, with SBOM and provenance; needs no daemon and no root' },
})

const directory = { parse: String, brief: 'Folder that "steadyvm image build" wrote', placeholder: 'dir' } as const

const push = buildCommand({
  loader: async () => (await import('../commands/system/image.ts')).push,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [directory, { parse: String, brief: 'Registry and path, such as registry.example.com/team', placeholder: 'registry' }],
    },
    flags: {
      plainHttp: { kind: 'boolean', default: false, brief: 'The registry has no TLS' },
      username: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'User of the registry (default: what "docker login" stored)',
        placeholder: 'name',
      },
      passwordStdin: { kind: 'boolean', default: false, brief: 'Read the password of --username from standard input' },
      output,
    },
    aliases: { o: 'output' },
  },
  docs: { brief: 'Push the images and their attestations to a registry; what it has is not sent again' },
})

const list = buildCommand({
  loader: async () => (await import('../commands/system/image.ts')).list,
  parameters: { positional: { kind: 'tuple', parameters: [directory] }, flags: { output }, aliases: { o: 'output' } },
  docs: { brief: 'List the images of a folder, with digest and size' },
})

/** `steadyvm image`. */
export const imageRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { build, push, list },
  docs: {
    brief:
      'Build and push the container images with which the components run on a Kubernetes cluster ("steadyvm images" is for disk images of VMs)',
  },
})
