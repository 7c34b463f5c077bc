import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A kernel module; a list of them is in load order. */
export interface KernelModule {
  readonly name: string
  readonly path: string
}

/** A required module is neither in the kernel package nor built in. */
export class MissingModule extends Error {
  override readonly name = 'MissingModule'
}

/** The modules of one kernel. */
export interface KernelModules {
  /** Reports whether there is a loadable module of that name; false for built-in ones. */
  has(name: string): boolean
  /**
   * Returns the modules with their dependencies, in load order. Skips built-in modules
   * (`modules.builtin`). @throws MissingModule
   */
  resolve(wanted: readonly string[]): Promise<KernelModule[]>
}

/** Indexes the modules below `directory`. */
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

/** Module names use `_`, file names may use `-`. */
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

/** Reads the `depends=` record of a module's .modinfo section. */
function dependenciesOf(module: Buffer): string[] {
  const start = module.indexOf('\0depends=')
  if (start < 0) return []
  const from = start + '\0depends='.length
  const list = module.toString('latin1', from, module.indexOf(0, from))
  return list === '' ? [] : list.split(',').map(normalize)
}
