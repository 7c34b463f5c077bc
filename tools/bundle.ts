import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '#machine/release/bundle-program.ts'
import { type BundleInputs, bundleFolder, fileState, isBundled } from '#machine/release/program-bundle.ts'

// Puts each program of src/cmd into one file, beside the compile cache and like that only a cache:
// see docs/decisions/0019-bundled-programs-are-a-cache.md.
const root = fileURLToPath(new URL('../', import.meta.url)).replace(/\/$/, '')
const programs = [
  'apiserver',
  'kubelet',
  'virt-operator',
  'virt-api',
  'virt-controller',
  'virt-handler',
  'virt-importer',
  'virt-exportserver',
  'hyperconverged-operator',
  'steadyvm-tasks',
]
const own = ['tools/bundle.ts', 'src/machine/release/bundle-program.ts']

for (const program of programs) {
  if (isBundled(root, program)) continue
  await bundle(program)
  fillCompileCache(join(bundleFolder(root, program), `${program}.mjs`))
}

/**
 * Makes a bundle aside and puts it in its place when it is whole. What is there is not taken while
 * it is being replaced.
 */
async function bundle(program: string): Promise<void> {
  const target = bundleFolder(root, program)
  mkdirSync(dirname(target), { recursive: true })
  const work = mkdtempSync(`${target}-`)
  try {
    const inputs = await bundleProgram({ root, entry: `src/cmd/${program}.ts`, target: work, runsFrom: target, packages: 'external' })
    writeFileSync(join(work, 'inputs.json'), JSON.stringify(inputsOf(inputs)))
    // Other users run it, too.
    chmodSync(work, 0o755)
    rmSync(target, { recursive: true, force: true })
    renameSync(work, target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function inputsOf(paths: readonly string[]): BundleInputs {
  const states = [...paths, ...own, 'package.json'].map((path) => [path, fileState(join(root, path)) ?? [0, 0]] as const)
  return Object.fromEntries(states)
}

/** Runs the program without the flags that it needs: it loads everything, says so, and ends. */
function fillCompileCache(file: string): void {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile') }
  spawnSync(process.execPath, [file], { env, stdio: 'ignore', timeout: 20_000 })
}
