import { join } from 'node:path'
import type { LayerEntry } from '#oci/image/layer-entry.ts'
import { filesOfMachine } from '../files/machine-files.ts'
import { findDebianPackages, installedPackages, type PackagedFiles } from './debian-packages.ts'

/** Folder with one record for each package, which scanners read in images without dpkg. */
const RECORDS = 'var/lib/dpkg/status.d'

/** A layer with the records and copyright files of its packages. */
export interface RecordedLayer extends PackagedFiles {
  readonly entries: readonly LayerEntry[]
}

/** What the entries of a layer do not tell about their packages. */
interface Contents {
  /** Files of this machine that belong to no package. */
  readonly ours?: readonly string[]
  /** Names of packages whose files are on a disk that is a file of the layer. */
  readonly packages?: readonly string[]
}

/**
 * Adds to a layer what identifies the Debian packages of its files: dpkg's record of each, so that
 * vulnerability scanners know their versions, and the copyright file, which must go with the files.
 */
export async function withPackageRecords(
  entries: readonly LayerEntry[],
  { ours = [], packages = [] }: Contents = {},
): Promise<RecordedLayer> {
  const files = entries.flatMap((entry) => (entry.kind === 'copy' && !ours.includes(entry.from) ? [entry.from] : []))
  const [owners, others] = await Promise.all([findDebianPackages(files), installedPackages(packages)])
  const all = new Map([...owners.packages, ...others].map((each) => [each.name, each]))
  const found = { ...owners, packages: [...all.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
  const records = found.packages.map(({ name, record }): LayerEntry => ({
    kind: 'file',
    path: join(RECORDS, name),
    mode: 0o644,
    content: Buffer.from(record),
  }))
  const copyrights = await filesOfMachine(found.packages.flatMap(({ copyright }) => copyright ?? []))
  return { ...found, entries: [...entries, ...records, ...copyrights] }
}
