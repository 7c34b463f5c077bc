import { readlink } from 'node:fs/promises'
import type { LayerEntry } from '#oci/image/layer-entry.ts'
import { filesOfMachine } from './machine-files.ts'

/** Numeric users of images: Kubernetes checks `runAsNonRoot` on numbers only. */
export const USERS = {
  /** Components. */
  component: 65_532,
  /** KubeVirt's qemu user. */
  qemu: 107,
} as const

/** Name, number, group and home. */
const accounts = [
  ['root', 0, 'root', '/root'],
  ['qemu', USERS.qemu, 'qemu', '/'],
  ['nonroot', USERS.component, 'nonroot', '/'],
  // Debian's names, which dnsmasq is told to run as.
  ['nobody', 65_534, 'nogroup', '/'],
] as const

/** Folders that every distribution has, or has as links into `/usr`. */
const TOP_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'] as const

/**
 * Returns the files below all others: users, folders, name resolution, and the links of a merged
 * `/usr`, by which the paths of this machine are valid in the image. `os-release` tells scanners
 * which distribution the packages are of.
 */
export async function systemFiles(): Promise<readonly LayerEntry[]> {
  return [...(await topLinks()), ...(await filesOfMachine(['/etc/os-release'])), ...generatedFiles()]
}

async function topLinks(): Promise<LayerEntry[]> {
  const links = await Promise.all(
    TOP_FOLDERS.map(async (path): Promise<LayerEntry[]> => {
      const target = await readlink(`/${path}`).catch(() => undefined)
      if (target === undefined) return []
      const folder = target.replace(/^\//, '')
      return [
        { kind: 'link', path, target: folder },
        { kind: 'directory', path: folder, mode: 0o755 },
      ]
    }),
  )
  return links.flat()
}

function generatedFiles(): LayerEntry[] {
  const text = (path: string, lines: readonly string[]): LayerEntry => ({
    kind: 'file',
    path,
    mode: 0o644,
    content: Buffer.from(lines.map((line) => `${line}\n`).join('')),
  })
  const folder = (path: string, mode: number): LayerEntry => ({ kind: 'directory', path, mode })
  return [
    text(
      'etc/passwd',
      accounts.map(([name, id, , home]) => `${name}:x:${id}:${id}:${name}:${home}:/usr/sbin/nologin`),
    ),
    text(
      'etc/group',
      accounts.map(([, id, group]) => `${group}:x:${id}:`),
    ),
    // Pods with `hostAliases` or a host network expect that /etc/hosts wins.
    text('etc/nsswitch.conf', ['passwd: files', 'group: files', 'hosts: files dns']),
    ...['dev', 'proc', 'sys', 'run', 'var'].map((path) => folder(path, 0o755)),
    { kind: 'link', path: 'var/run', target: '/run' },
    folder('tmp', 0o1777),
    folder('var/tmp', 0o1777),
    folder('root', 0o755),
  ]
}
