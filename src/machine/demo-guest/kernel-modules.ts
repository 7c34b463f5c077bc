import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** One kernel module, to be loaded after those before it. */
export interface KernelModule {
  readonly name: string
  readonly path: string
}

/** A module that the guest needs is neither in the package nor built into the kernel. */
export class MissingModule extends Error {
  override readonly name = 'MissingModule'
}

/** The modules of one kernel. */
export interface KernelModules {
  /** Whether there is such a module. Not so for what is built into the kernel. */
  has(name: string): boolean
  /**
   * The modules and everything that they depend on, in load order. Names that are built into the
   * kernel (listed in `modules.builtin`) are left out.
   * @throws MissingModule
   */
  resolve(wanted: readonly string[]): Promise<KernelModule[]>
}

/** Looks through the modules below `directory`. */
export async function openModules(directory: string): Promise<KernelModules> {
  const files = await findModules(directory)
  const builtin = await readBuiltin(directory)
  return {
    has: (name) => files.has(normalize(name)),
    async resolve(wanted) {
      const ordered = new Map<string, KernelModule>()
      const visit = async (name: string): Promise<void> => {
        if (ordered.has(name) || builtin.has(name)) return
        const path = files.get(name)
        if (path === undefined) throw new MissingModule(`Cannot find kernel module "${name}" below "${directory}"`)
        for (const dependency of dependenciesOf(await readFile(path))) await visit(dependency)
        ordered.set(name, { name, path })
      }
      for (const name of wanted) await visit(normalize(name))
      return [...ordered.values()]
    },
  }
}

/** Module names use `_`, file names sometimes `-`. */
function normalize(name: string): string {
  return name.replaceAll('-', '_')
}

async function findModules(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const modules = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ko'))
  return new Map(modules.map((entry) => [normalize(basename(entry.name, '.ko')), join(entry.parentPath, entry.name)]))
}

async function readBuiltin(directory: string): Promise<Set<string>> {
  const text = await readFile(join(directory, 'modules.builtin'), 'utf8')
  return new Set(text.split('\n').map((line) => normalize(basename(line, '.ko'))))
}

/** The `depends=` record that every module carries in its .modinfo section. */
function dependenciesOf(module: Buffer): string[] {
  const start = module.indexOf('\0depends=')
  if (start < 0) return []
  const from = start + '\0depends='.length
  const list = module.toString('latin1', from, module.indexOf(0, from))
  return list === '' ? [] : list.split(',').map(normalize)
}
