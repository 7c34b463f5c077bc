import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Folders of a cluster. */
export interface Folders {
  /** Everything that the cluster writes. */
  readonly home: string
  /** Built programs and unpacked packages, which clusters share. */
  readonly programs: string
}

/** Settings that are stored in the home, so that a later `up` starts the same cluster. */
export interface Settings {
  readonly nodes: number
  /** Feature gates of API server and kubelets, such as `ImageVolume=true`; can be empty. */
  readonly features: string
  /** Folder of the kubelets on their nodes. */
  readonly kubeletRoot: string
}

/** Returns absolute paths, and default ones for folders that are not given. */
export function foldersOf(given: { readonly home?: string | undefined; readonly programs?: string | undefined }): Folders {
  const cache = join(homedir(), '.cache', 'steadyvm-kubernetes')
  return { home: resolve(given.home ?? join(cache, 'cluster')), programs: resolve(given.programs ?? cache) }
}

/** Returns the name of the cgroup of a cluster: clusters with different homes do not meet. */
export function cgroupName({ home }: Folders): string {
  return `steadyvm-kubernetes-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`
}

export function readSettings({ home }: Folders): Settings | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as Settings
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function writeSettings({ home }: Folders, settings: Settings): void {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'settings.json'), `${JSON.stringify(settings)}\n`)
}
