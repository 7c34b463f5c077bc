import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { type Disc, DiscDamaged, type DiscEntry, type DiscFileSystem, type DiscWrite } from './disc/disc.ts'
import { type BootEntry, readEfiEntries } from './disc/el-torito.ts'
import { readIsoVolumes } from './disc/iso9660.ts'
import { readUdf } from './disc/udf.ts'

/** Folder of the boot files. */
const folder = ['efi', 'microsoft', 'boot']
/** Boot files that wait for a key, and those that do not. */
const pairs = [
  ['efisys.bin', 'efisys_noprompt.bin'],
  ['cdboot.efi', 'cdboot_noprompt.efi'],
] as const

/** What to write, in this order: each state between is a disc that boots. */
export interface DiscChanges {
  readonly writes: readonly DiscWrite[]
  /** File systems with the boot files: `UDF`. */
  readonly fileSystems: readonly string[]
}

/** The two files of a pair in one file system. */
interface Pair {
  readonly prompting: DiscEntry
  readonly silent: DiscEntry
}

/**
 * Plans how a Windows disc boots by EFI without asking for a key: its boot catalog, and the names
 * of the boot files, lead to the files that do not ask. Nothing is moved, so that the size and all
 * other files stay as they are. Without writes, it is done. @throws TaskFailed
 */
export async function planChanges(disc: Disc): Promise<DiscChanges> {
  try {
    const iso = await readIsoVolumes(disc)
    const udf = await readUdf(disc)
    const fileSystems = [...(iso?.fileSystems ?? []), ...(udf === undefined ? [] : [udf])]
    if (fileSystems.length === 0)
      throw unfit('it is no ISO 9660 and no UDF: import the ISO file of Windows into the claim as it is, with contentType kubevirt')
    const found = await pairsOf(fileSystems)
    const [first] = found
    if (first === undefined)
      throw unfit(
        `it has no ${pairs.flatMap(([, silent]) => [...folder, silent].join('/')).join(' and ')}: use the ISO file of an edition that has them`,
      )
    const entries = iso?.bootCatalog === undefined ? [] : await readEfiEntries(disc, iso.bootCatalog)
    if (entries.length === 0) throw unfit('it does not boot by EFI: use a disc for x64 or ARM64, or BIOS')
    const boot = await bootWrites(disc, entries, first.boot)
    const names = found.flatMap(({ boot: image, loader }) => [image, loader].filter(isPrompting).map(nameWrite))
    return { writes: [...boot, ...names], fileSystems: found.map(({ kind }) => kind) }
  } catch (error) {
    if (error instanceof DiscDamaged) throw unfit(`it is damaged: ${error.message}: import it again`)
    throw error
  }
}

/** Pairs of the file systems that have all boot files. */
async function pairsOf(
  fileSystems: readonly DiscFileSystem[],
): Promise<readonly { readonly kind: string; readonly boot: Pair; readonly loader: Pair }[]> {
  const found = []
  for (const fileSystem of fileSystems) {
    const [boot, loader] = [await pairOf(fileSystem, pairs[0]), await pairOf(fileSystem, pairs[1])]
    if (boot !== undefined && loader !== undefined) found.push({ kind: fileSystem.kind, boot, loader })
  }
  return found
}

async function pairOf(fileSystem: DiscFileSystem, names: readonly [string, string]): Promise<Pair | undefined> {
  const [prompting, silent] = [await fileSystem.find([...folder, names[0]]), await fileSystem.find([...folder, names[1]])]
  return prompting === undefined || silent === undefined ? undefined : { prompting, silent }
}

function isPrompting({ prompting, silent }: Pair): boolean {
  return prompting.offset !== silent.offset
}

function nameWrite({ prompting, silent }: Pair): DiscWrite {
  return prompting.pointTo(silent)
}

/** A boot image may be the file itself, or a copy of it that no file system knows. */
async function bootWrites(disc: Disc, entries: readonly BootEntry[], { prompting, silent }: Pair): Promise<readonly DiscWrite[]> {
  const contentAt = (offset: number, { bytes }: DiscEntry): Promise<Buffer> => disc.read(offset, bytes)
  const writes: DiscWrite[] = []
  for (const entry of entries) {
    if (entry.offset === silent.offset) continue
    const wanted = await contentAt(silent.offset, silent)
    if ((await contentAt(entry.offset, silent)).equals(wanted)) continue
    const isFile = entry.offset === prompting.offset
    if (!isFile && !(await contentAt(entry.offset, prompting)).equals(await contentAt(prompting.offset, prompting)))
      throw unfit(`its boot image for EFI is not ${[...folder, pairs[0][0]].join('/')}: it was changed before; use the file of Microsoft`)
    writes.push(entry.pointTo(silent.offset))
  }
  return writes
}

function unfit(why: string): TaskFailed {
  return new TaskFailed(exitCodes.preconditionFailed, `Cannot change the disc, ${why}`)
}
