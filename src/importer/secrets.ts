import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ImportFailure } from './failure.ts'

/** Folders with the secrets of a worker; see `workerPaths`. */
export interface SecretFolders {
  readonly credentials: string
  readonly headers: string
  readonly authorities: string
}

/** Secrets of a source, in memory only. */
export interface Secrets {
  /** Undefined: the source is read anonymously. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  readonly headers: readonly string[]
  /** PEM. */
  readonly authorities: readonly string[]
}

/** Reads all secrets. A folder that is missing has none. @throws ImportFailure */
export async function readSecrets(folders: SecretFolders): Promise<Secrets> {
  const [user, password, headers, authorities] = await Promise.all([
    readIfThere(join(folders.credentials, 'accessKeyId')),
    readIfThere(join(folders.credentials, 'secretKey')),
    readHeaders(folders.headers),
    readFolder(folders.authorities),
  ])
  return {
    credentials: user === undefined && password === undefined ? undefined : { user: user?.trim() ?? '', password: password?.trim() ?? '' },
    headers: headers.map((header) => header.trim()),
    authorities,
  }
}

/** Headers are in one folder per Secret. */
async function readHeaders(folder: string): Promise<string[]> {
  const nested = await Promise.all((await listIfThere(folder)).map((name) => readFolder(join(folder, name))))
  return nested.flat()
}

/** Contents of the files of a folder. Kubernetes keeps its own files under names with dots. */
async function readFolder(folder: string): Promise<string[]> {
  const texts = await Promise.all((await listIfThere(folder)).map((name) => readIfThere(join(folder, name))))
  return texts.filter((text) => text !== undefined)
}

async function listIfThere(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw unreadable(folder, error)
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw unreadable(file, error)
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function unreadable(path: string, cause: unknown): ImportFailure {
  return new ImportFailure(
    'TaskInvalid',
    `Cannot read "${path}" (${(cause as Error).message}): check the Secret or ConfigMap of the source`,
    {
      cause,
      fatal: false,
    },
  )
}

/**
 * Parses headers such as `X-Token: a`, for one request. A header that is none is refused without
 * being shown, since it may be a secret. @throws ImportFailure
 */
export function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line, index) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7E\x80-\xFF]*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw new ImportFailure('TaskInvalid', `Header ${index + 1} of the source is not of the form "Name: value"`)
      return [name.toLowerCase(), value.trim()] as const
    }),
  )
}
