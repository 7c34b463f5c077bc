/** An npm package that is part of a bundle. */
export interface NpmPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression from package-lock.json. */
  readonly license?: string
  /** SHA-512 of the registry's archive, in hexadecimal. */
  readonly sha512?: string
}

/** The part of `package-lock.json` that is read. */
export interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly license?: string; readonly integrity?: string }>>
}

/** An input of a bundle is of a package that package-lock.json does not have. */
export class PackageNotLocked extends Error {
  override readonly name = 'PackageNotLocked'
}

/**
 * Returns the packages whose files went into a bundle, by the paths of its inputs, with the locked
 * versions; sorted. @throws PackageNotLocked
 */
export function bundledPackages(inputs: readonly string[], lock: PackageLock): readonly NpmPackage[] {
  const folders = [...new Set(inputs.flatMap((path) => packageFolder(path) ?? []))].toSorted()
  return folders.map((folder) => lockedPackage(folder, lock))
}

/**
 * Returns one locked package by its folder, such as `node_modules/node`. @throws PackageNotLocked
 */
export function lockedPackage(folder: string, { packages }: PackageLock): NpmPackage {
  const { version, license, integrity } = packages[folder] ?? {}
  if (version === undefined) throw new PackageNotLocked(`"${folder}" is not in package-lock.json: run "npm ci", and build the images again`)
  const sum = /^sha512-(\S+)/.exec(integrity ?? '')?.[1]
  return {
    name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    ...(license === undefined ? {} : { license }),
    ...(sum === undefined ? {} : { sha512: Buffer.from(sum, 'base64').toString('hex') }),
  }
}

/** Returns `node_modules/a/node_modules/@b/c` of a file in it; undefined for other files. */
function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
}
