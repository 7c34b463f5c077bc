import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Plugin } from 'esbuild'

/** What is put into one file. */
export interface BundleOptions {
  /** Folder of the repository. */
  readonly root: string
  /** Source, relative to `root`. */
  readonly entry: string
  /** Folder that the outcome is written to. */
  readonly target: string
  /**
   * Folder that it will run from, as it lies below `root`. Code that looks for files beside itself
   * finds them from there.
   */
  readonly runsFrom: string
  /**
   * `external`: packages are looked for in node_modules; `bundle`: they are in the file, which then runs anywhere.
   */
  readonly packages: 'external' | 'bundle'
}

/**
 * Puts a program and all that it imports into one file. Gives the paths of what went into it,
 * relative to `root`.
 */
export async function bundleProgram({ root, entry, target, runsFrom, packages }: BundleOptions): Promise<readonly string[]> {
  // Loaded late: only builds need it.
  const { build } = await import('esbuild')
  const result = await build({
    entryPoints: [join(root, entry)],
    outdir: target,
    bundle: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node26',
    packages,
    metafile: true,
    write: false,
    logLevel: 'error',
    absWorkingDir: root,
    plugins: [keepPlaces(runsFrom)],
    ...(packages === 'bundle' ? { banner: { js: requireForPackages } } : {}),
  })
  for (const { path, text } of result.outputFiles) await writeFile(path, inAscii(text))
  return Object.keys(result.metafile.inputs)
}

/**
 * One letter beyond Latin-1 doubles what the whole text takes in memory for as long as the program
 * runs. Those that esbuild leaves are in regular expressions, where an escape means the same.
 */
function inAscii(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Packages of the older kind ask for Node's own modules in this way. */
const requireForPackages =
  "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);"

function keepPlaces(folder: string): Plugin {
  return {
    name: 'keep-places',
    setup(compiler) {
      compiler.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8')
        if (!source.includes('import.meta.url')) return undefined
        const place = JSON.stringify(relative(folder, path))
        return { contents: source.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), loader: 'ts' }
      })
    },
  }
}
