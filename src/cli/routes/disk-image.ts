import { buildCommand, buildRouteMap, numberParser, type RouteMap } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { allNamespaces, clusterFlags, namespace, output } from './cluster-flags.ts'

const text = (brief: string, placeholder: string) => ({ kind: 'parsed', parse: String, optional: true, brief, placeholder }) as const

/** Flags of what fills a disk, also that of a new VM. */
export const diskFlags = {
  size: {
    kind: 'parsed',
    parse: (text: string): string => text,
    optional: true,
    brief: 'Size of the disk, such as 20Gi (default: that of the image, or 10Gi for a URL)',
    placeholder: 'quantity',
  },
  storageClass: {
    kind: 'parsed',
    parse: (text: string): string => text,
    optional: true,
    brief: 'Storage class of the disk (default: that of the cluster)',
    placeholder: 'name',
  },
  uploadproxyUrl: {
    kind: 'parsed',
    parse: (text: string): string => text,
    optional: true,
    brief: 'Server that takes the upload of a file (default: what the cluster names)',
    placeholder: 'url',
  },
  insecure: { kind: 'boolean', default: false, brief: 'Accept any certificate of that server' },
  wait: { kind: 'boolean', default: true, brief: 'Wait for the end, with the progress on standard error; --no-wait does not' },
  timeout: {
    kind: 'parsed',
    parse: (text: string): number => numberParser(text),
    default: '3600',
    brief: 'Seconds to wait',
    placeholder: 's',
  },
} as const

const dryRun = { kind: 'boolean', default: false, brief: 'Validate on the server, and change nothing' } as const
const imageName = { parse: String, brief: 'Name of the image: of its DataSource', placeholder: 'name' } as const

const importImage = buildCommand({
  loader: async () => (await import('../commands/images/import.ts')).importImage,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [imageName, { parse: String, brief: 'https://…, docker://…, or a file of this machine', placeholder: 'url|file' }],
    },
    flags: {
      checksum: text('Checksum of the file: sha256:…, sha512:…, sha1:… or md5:…', 'checksum'),
      secret: text('Secret with the credentials of the server or registry', 'name'),
      certConfigMap: text('ConfigMap with certificates of authorities', 'name'),
      defaultInstancetype: text('Instance type of VMs that name none: NAME or KIND/NAME', 'type'),
      defaultPreference: text('Preference of VMs that name none: NAME or KIND/NAME', 'preference'),
      ...diskFlags,
      dryRun,
      namespace,
      output,
      ...clusterFlags,
    },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: {
    brief: 'Import a disk image from a URL, a registry or a file; VMs name it by its DataSource',
    fullDescription: `Import a disk image: a DataVolume with its content, and a DataSource of the same name, from which VMs get copies.

  steadyvm images import fedora docker://quay.io/containerdisks/fedora:latest --size 5Gi --default-instancetype u1.small --default-preference fedora
  steadyvm images import debian https://cloud.debian.org/images/cloud/trixie/latest/debian-13-generic-amd64.qcow2 --size 10Gi
  steadyvm images import mine ./disk.qcow2

Ctrl-C leaves an import from a URL or registry going; the same command follows it again. The upload of a file ends, and the same command begins it again.`,
  },
})

const list = buildCommand({
  loader: async () => (await import('../commands/images/list.ts')).list,
  parameters: {
    flags: { namespace, allNamespaces, output, ...clusterFlags },
    aliases: { n: 'namespace', A: 'allNamespaces', o: 'output' },
  },
  docs: { brief: 'List DataSources with their images: size, phase, digest, age' },
})

const verify = buildCommand({
  loader: async () => (await import('../commands/images/verify.ts')).verify,
  parameters: {
    positional: { kind: 'array', parameter: imageName },
    flags: { namespace, allNamespaces, output, ...clusterFlags },
    aliases: { n: 'namespace', A: 'allNamespaces', o: 'output' },
  },
  docs: { brief: 'Check that images are complete, and have the digest that is wanted; ends with exit code 2 otherwise' },
})

const history = buildCommand({
  loader: async () => (await import('../commands/images/history.ts')).history,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'Name of a DataImportCron, or of its DataSource', placeholder: 'name' }],
    },
    flags: { namespace, output, ...clusterFlags },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'List the imports of a DataImportCron: which one is selected, pinned and newest' },
})

const rm = buildCommand({
  loader: async () => (await import('../commands/images/remove.ts')).remove,
  parameters: {
    positional: { kind: 'array', parameter: imageName, minimum: 1 },
    flags: { dryRun, namespace, output, ...clusterFlags },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'Remove images that no VM and no volume uses; ends with exit code 3 otherwise' },
})

/** `steadyvm images`. */
export const diskImageRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { import: importImage, list, verify, history, rm },
  docs: { brief: 'Import, list, verify and remove the disk images of VMs ("steadyvm image" is for container images of the components)' },
})
