import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { parseCopyright } from './debian-license.ts'

/** A Debian package that a file of an image is from. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly source: string
  /** The package's record in dpkg's database. */
  readonly record: string
  /** Path of its copyright file, if installed. */
  readonly copyright?: string
  /** SPDX expression, where all names of the copyright file are known. */
  readonly license?: string
  /** Names of licences in the copyright file that have no SPDX identifier here. */
  readonly unknownLicenses: readonly string[]
}

/** Packages of files, and files that belong to none. */
export interface PackagedFiles {
  readonly packages: readonly DebianPackage[]
  readonly unpackaged: readonly string[]
}

/** The packages of files are unknown. The message names the remedy. */
export class PackagesUnknown extends Error {
  override readonly name = 'PackagesUnknown'
}

/**
 * Finds the packages of files by dpkg's database; sorted by name. @throws PackagesUnknown on a
 * machine without dpkg
 */
export async function findDebianPackages(files: readonly string[]): Promise<PackagedFiles> {
  if (files.length === 0) return { packages: [], unpackaged: [] }
  const owners = parseOwners(await dpkgQuery(['--search', ...files.flatMap(namesOf)]))
  const ownerOf = (file: string): string | undefined => namesOf(file).flatMap((name) => owners.get(name) ?? [])[0]
  const names = [...new Set(files.flatMap((file) => ownerOf(file) ?? []))].toSorted()
  return {
    packages: await installedPackages(names),
    unpackaged: files.filter((file) => ownerOf(file) === undefined).toSorted(),
  }
}

/** Returns installed packages by their names; sorted by name. @throws PackagesUnknown */
export async function installedPackages(names: readonly string[]): Promise<readonly DebianPackage[]> {
  return names.length === 0 ? [] : Promise.all(splitRecords(await dpkgQuery(['--status', ...names])).map(readPackage))
}

/** With a merged `/usr`, dpkg may know `/usr/lib/x` as `/lib/x`. */
function namesOf(file: string): string[] {
  return file.startsWith('/usr/') ? [file, file.slice('/usr'.length)] : [file]
}

/**
 * Parses `libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6`, and lists of packages that share a path.
 */
export function parseOwners(output: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  for (const line of output.split('\n')) {
    const [, name, path] = /^([a-z0-9][a-z0-9+.:-]*)(?:, [^/]*)?: (\/.*)$/.exec(line) ?? []
    if (name !== undefined && path !== undefined) owners.set(path, name)
  }
  return owners
}

/** Splits the records of packages, which dpkg separates by empty lines; sorted by name. */
function splitRecords(output: string): readonly string[] {
  return output
    .split(/\n\n+/)
    .filter((record) => record !== '')
    .map((record) => `${record.trimEnd()}\n`)
    .toSorted()
}

async function readPackage(record: string): Promise<DebianPackage> {
  const field = (key: string): string => new RegExp(`^${key}: (.*)$`, 'm').exec(record)?.[1] ?? ''
  const plain = field('Package')
  const copyright = `/usr/share/doc/${plain}/copyright`
  const text = await readFile(copyright, 'utf8').catch(() => undefined)
  return {
    name: plain,
    version: field('Version'),
    architecture: field('Architecture'),
    source: field('Source').split(' ')[0] || plain,
    record,
    ...(text === undefined ? {} : { copyright }),
    ...parseCopyright(text ?? ''),
  }
}

async function dpkgQuery(args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('dpkg-query', args, { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string }
    // 1: some paths have no package.
    if (code === 1 && args[0] === '--search') return stdout
    if (code === 'ENOENT')
      throw new PackagesUnknown(
        'Cannot find the packages of files: "dpkg-query" is not on this machine. Images are built from Debian packages: build them on Debian or Ubuntu',
        { cause: error },
      )
    throw new PackagesUnknown(`Cannot find the packages of files: ${(error as Error).message.trim()}`, { cause: error })
  }
}
