import { execFile, execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { effort } from './effort.ts'
import { cacheFolder } from './cache.ts'

/** Oldest supported minor version. */
const OLDEST_MINOR = 27

/** A kubectl on this machine. */
export interface Kubectl {
  readonly path: string
  /** Version such as `1.33`, from the name of the binary or its output. */
  readonly version: string
}

/** Output of a command, and its exit code. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Returns every `kubectl.1.NN` (27 to 33) on PATH or beside the kubectl there, otherwise the
 * kubectl on PATH, otherwise the one that setup has fetched. The oldest comes first.
 */
export function findKubectls(): readonly Kubectl[] {
  return (known ??= search())
}

let known: readonly Kubectl[] | undefined

function search(): readonly Kubectl[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const main = findOnPath('kubectl')
  const places = new Set([...folders, ...(main === undefined ? [] : [dirname(realpathSync(main))])])
  const versioned = [...places].flatMap((folder) =>
    listFolder(folder).flatMap((name) => {
      const minor = /^kubectl\.1\.(\d+)$/.exec(name)?.[1]
      return minor !== undefined && Number(minor) >= OLDEST_MINOR && Number(minor) <= 33
        ? [{ path: join(folder, name), version: `1.${minor}` }]
        : []
    }),
  )
  const unique = new Map(versioned.map((kubectl) => [kubectl.version, kubectl]))
  if (unique.size > 0) return [...unique.values()].toSorted((a, b) => Number(a.version.slice(2)) - Number(b.version.slice(2)))
  const fetched = join(cacheFolder, 'kubectl', 'kubectl')
  for (const path of [...(main === undefined ? [] : [main]), fetched]) {
    const version = versionOf(path)
    if (version !== undefined) return [{ path, version }]
  }
  return []
}

/** Returns the versions to test with: all in the long tier, otherwise the newest. */
export function kubectlsUnderTest(): readonly Kubectl[] {
  return findKubectls().filter((_, index, all) => effort === 'long' || index === all.length - 1)
}

/** Returns the oldest and the newest version. */
export function oldestAndNewestKubectl(): readonly Kubectl[] {
  return findKubectls().filter((_, index, all) => index === 0 || index === all.length - 1)
}

/** Returns the path of a program on PATH. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Returns the kubectl's version; undefined when it is not supported, or is not a kubectl. */
function versionOf(path: string): string | undefined {
  try {
    const answer = JSON.parse(
      execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as {
      clientVersion?: { minor?: string }
    }
    const minor = Number.parseInt(answer.clientVersion?.minor ?? '0', 10)
    return minor >= OLDEST_MINOR ? `1.${minor}` : undefined
  } catch {
    return undefined
  }
}

/** Reason to skip tests that need kubectl; false when the machine has a supported one. */
export const noKubectl: string | false =
  findKubectls().length > 0 ? false : `no kubectl 1.${OLDEST_MINOR} or newer on PATH, and set-up could not fetch one`

/** Returns the newest kubectl of the machine. @throws when there is none */
export function newestKubectl(): Kubectl {
  const newest = findKubectls().at(-1)
  if (newest === undefined) throw new Error('No kubectl on PATH: the end-to-end tests need one, see https://kubernetes.io/docs/tasks/tools')
  return newest
}

/**
 * Go collects its garbage by this: most of the processor time that kubectl needs beyond its start.
 */
const seldom = { GOGC: '400' } as const

/** Runs a program to its end and never rejects for its exit code. */
export function runCommand(
  path: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; input?: string; timeoutMs?: number; cwd?: string } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      path,
      args,
      { env: { ...seldom, ...(options.env ?? process.env) }, timeout: options.timeoutMs ?? 300_000, maxBuffer: 64 << 20, cwd: options.cwd },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr })
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
