import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Plugin } from 'esbuild'

/** Parameters of {@link bundleProgram}. */
export interface BundleOptions {
  /** Folder of the repository. */
  readonly root: string
  /** Source, relative to `root`. */
  readonly entry: string
  /** Output folder. */
  readonly target: string
  /** Folder below `root` that the bundle runs from; `import.meta.url` resolves to it. */
  readonly runsFrom: string
  /** `external`: packages are loaded from node_modules; `bundle`: they are included. */
  readonly packages: 'external' | 'bundle'
}

/**
 * Bundles a program with its imports into one file. Returns the paths of its inputs, relative to
 * `root`.
 */
export async function bundleProgram({ root, entry, target, runsFrom, packages }: BundleOptions): Promise<readonly string[]> {
  // Imported here, since only builds need it.
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
 * Escapes characters beyond Latin-1, a single one of which doubles the memory of the source text in
 * V8. esbuild leaves them only in regular expressions, where an escape is equivalent.
 */
function inAscii(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** CommonJS packages load Node's modules with `require`. */
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
