import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Files of a Windows installation disc that matter here, with sizes that differ. */
const files = {
  'efi/microsoft/boot/efisys.bin': 40_960,
  'efi/microsoft/boot/efisys_noprompt.bin': 40_960,
  'efi/microsoft/boot/cdboot.efi': 10_000,
  'efi/microsoft/boot/cdboot_noprompt.efi': 12_345,
  'boot/etfsboot.com': 4_096,
  'sources/install.wim': 300_000,
} as const

/** How a disc is made. */
export interface DiscOptions {
  /** With UDF, as discs of Microsoft. Default: true. */
  readonly hasUdf?: boolean
  /** Default: true. */
  readonly bootsByEfi?: boolean
  /** Left out. */
  readonly without?: readonly string[]
  /** Content of files, in place of random bytes. */
  readonly contents?: Readonly<Record<string, Buffer>>
}

/** A disc that was made, and what is on it. */
export interface InstallationDisc {
  readonly path: string
  readonly content: Readonly<Record<string, Buffer>>
}

/** Makes a disc with the layout of a Windows installation disc, by genisoimage. */
export async function makeInstallationDisc(
  folder: string,
  { hasUdf = true, bootsByEfi = true, without = [], contents = {} }: DiscOptions = {},
): Promise<InstallationDisc> {
  const root = join(folder, 'files')
  const content: Record<string, Buffer> = {}
  for (const [name, bytes] of Object.entries(files)) {
    if (without.includes(name)) continue
    content[name] = contents[name] ?? randomBytes(bytes)
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content[name])
  }
  const path = join(folder, 'disk.img')
  const boot = ['-b', 'boot/etfsboot.com', '-no-emul-boot', '-boot-load-size', '8']
  const efi = bootsByEfi ? ['-eltorito-alt-boot', '-e', 'efi/microsoft/boot/efisys.bin', '-no-emul-boot', '-boot-load-size', '1'] : []
  await execute('genisoimage', ['-quiet', ...(hasUdf ? ['-udf'] : []), '-J', '-iso-level', '3', ...boot, ...efi, '-o', path, root])
  return { path, content }
}

/** Reads a file of a disc in three ways: as UDF by 7z, as Joliet and as ISO 9660 by isoinfo. */
export async function readFromDisc(path: string, name: string, hasUdf: boolean): Promise<readonly Buffer[]> {
  const output = { encoding: 'buffer', maxBuffer: 1 << 26 } as const
  const views = await Promise.all([
    execute('isoinfo', ['-J', '-i', path, '-x', `/${name}`], output),
    execute('isoinfo', ['-i', path, '-x', `/${name.toUpperCase()};1`], output),
    ...(hasUdf ? [execute('7z', ['x', '-so', '-tudf', path, name], output)] : []),
  ])
  return views.map(({ stdout }) => stdout)
}

/** Reads the start of the boot image for EFI, which is the second of the catalog. */
export async function readEfiImage(path: string, bytes: number): Promise<Buffer> {
  const disc = await readFile(path)
  const catalog = disc.readUInt32LE(17 * 2048 + 71) * 2048
  const start = disc.readUInt32LE(catalog + 96 + 8) * 2048
  return disc.subarray(start, start + bytes)
}
