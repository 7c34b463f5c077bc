import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * UEFI firmware on this machine: code that guests share, and the variables that each guest gets a
 * copy of.
 */
export interface FirmwareImage {
  readonly codePath: string
  readonly variablesTemplate: string
  /** Patterns of versioned machine types, `*` for anything. */
  readonly machines: readonly string[]
  /** `secure-boot`, `enrolled-keys`, `requires-smm` … */
  readonly features: readonly string[]
}

/** Firmware requirements of a guest. */
export interface FirmwareWish {
  readonly machineType: string
  /** Enforce signatures, with enrolled keys. */
  readonly secureBoot: boolean
}

/** Folders of QEMU's firmware descriptors, those of the administrator first. */
const DESCRIPTORS: readonly string[] = ['/etc/qemu/firmware', '/usr/share/qemu/firmware']

interface Descriptor {
  readonly 'interface-types'?: readonly string[]
  readonly mapping?: {
    readonly device?: string
    readonly executable?: { readonly filename?: string; readonly format?: string }
    readonly 'nvram-template'?: { readonly filename?: string; readonly format?: string }
  }
  readonly targets?: readonly { readonly architecture?: string; readonly machines?: readonly string[] }[]
  readonly features?: readonly string[]
}

/**
 * Finds UEFI firmware by QEMU's descriptor files, in the order of their names. A descriptor hides
 * those of the same name in later folders; one that is unreadable, or whose files are missing, is
 * skipped.
 */
export async function findFirmware(folders: readonly string[] = DESCRIPTORS): Promise<FirmwareImage[]> {
  const files = new Map<string, string>()
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.endsWith('.json') && !files.has(name)) files.set(name, join(folder, name))
    }
  }
  const images: FirmwareImage[] = []
  for (const [, file] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const image = await readDescriptor(file)
    if (image !== undefined && (await areThere(image.codePath, image.variablesTemplate))) images.push(image)
  }
  return images
}

async function readDescriptor(file: string): Promise<FirmwareImage | undefined> {
  try {
    return imageOf(JSON.parse(await readFile(file, 'utf8')) as Descriptor)
  } catch {
    return undefined
  }
}

function imageOf({ 'interface-types': types = [], mapping = {}, targets = [], features = [] }: Descriptor): FirmwareImage | undefined {
  const { executable, 'nvram-template': template } = mapping
  const machines = targets.filter(({ architecture }) => architecture === 'x86_64').flatMap((target) => target.machines ?? [])
  const isFlash = types.includes('uefi') && mapping.device === 'flash' && executable?.format === 'raw' && template?.format === 'raw'
  if (!isFlash || machines.length === 0 || executable.filename === undefined || template.filename === undefined) return undefined
  return { codePath: executable.filename, variablesTemplate: template.filename, machines, features }
}

async function areThere(...paths: readonly string[]): Promise<boolean> {
  return Promise.all(paths.map((path) => access(path))).then(
    () => true,
    () => false,
  )
}

/**
 * Returns the first image for the machine type with or without signature enforcement, as required.
 */
export function chooseFirmware(images: readonly FirmwareImage[], { machineType, secureBoot }: FirmwareWish): FirmwareImage | undefined {
  return images.find(({ machines, features }) => {
    if (!machines.some((pattern) => matches(pattern, machineType))) return false
    const enforces = features.includes('secure-boot') && features.includes('enrolled-keys')
    return secureBoot ? enforces : !enforces && !features.includes('requires-smm')
  })
}

function matches(pattern: string, machineType: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  return rest.length === 0 ? pattern === machineType : machineType.startsWith(start)
}
