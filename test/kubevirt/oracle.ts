import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { upstreamSource, type Project } from './source.ts'

const run = promisify(execFile)

/** A program around a part of upstream's own code. */
export interface Oracle extends AsyncDisposable {
  /** Asks for one answer. Requests are answered in their order. */
  ask(request: unknown): Promise<unknown>
}

/** Programs in `oracles/`, and the project that each is built with. */
const programs = {
  bundle: 'operator-registry',
  'catalog-graph': 'operator-registry',
  crds: 'kubevirt',
  expand: 'kubevirt',
  networks: 'kubevirt',
  roles: 'kubevirt',
  subresources: 'kubevirt',
  tekton: 'tekton-pipeline',
  'vmi-admission': 'kubevirt',
  'upgrade-patches': 'hyperconverged-cluster-operator',
  workloads: 'hyperconverged-cluster-operator',
} as const satisfies Readonly<Record<string, Project>>

export type OracleName = keyof typeof programs

/** An oracle, or why it cannot be built here. */
export type OracleOrReason = { readonly oracle: Oracle } | { readonly missing: string }

/**
 * Builds and starts an oracle in the folder of its project. Its Go files are laid over the source,
 * whose packages belong to its module: nothing is written to the source.
 */
export async function startOracle(name: OracleName, args: readonly string[] = []): Promise<OracleOrReason> {
  const project = programs[name]
  const source = await upstreamSource(project)
  if ('missing' in source) return source
  await using work = await temporaryFolder(name)
  const own = join(import.meta.dirname, 'oracles', name)
  const place = join(source.folder, 'cmd', `steadyvm-${name}`)
  const files = (await readdir(own)).filter((file) => file.endsWith('.go'))
  const overlay = join(work.folder, 'overlay.json')
  await writeFile(overlay, JSON.stringify({ Replace: Object.fromEntries(files.map((file) => [join(place, file), join(own, file)])) }))
  const program = await buildProgram(project, ['build', '-overlay', overlay], `./cmd/steadyvm-${name}`)
  if ('missing' in program) return program
  const child = spawn(program.path, args, { cwd: source.folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return {
    oracle: {
      ask(request) {
        last = last.then(async () => {
          child.stdin.write(`${JSON.stringify(request)}\n`)
          const { value, done } = await lines.next()
          if (done === true) throw new TypeError(`The oracle ${name} ended at ${JSON.stringify(request).slice(0, 200)}`)
          return JSON.parse(value) as unknown
        })
        return last
      },
      async [Symbol.asyncDispose]() {
        child.stdin.end()
        await program[Symbol.asyncDispose]()
      },
    },
  }
}

/** A program that was built from a project's source. */
export interface Program extends AsyncDisposable {
  readonly path: string
  /** Folder of the source. */
  readonly source: string
}

/** Builds a package of a project by a command of Go, such as `build` or `test -c`. */
export async function buildProgram(
  project: Project,
  command: readonly string[],
  packagePath: string,
): Promise<Program | { readonly missing: string }> {
  const source = await upstreamSource(project)
  if ('missing' in source) return source
  await using stack = new AsyncDisposableStack()
  const { folder } = stack.use(await temporaryFolder(basename(packagePath)))
  const path = join(folder, 'program')
  try {
    await run('go', [...command, '-o', path, packagePath], {
      cwd: source.folder,
      // Modules that the source does not bring are downloaded, as go.sum pins them.
      env: { ...process.env, GOFLAGS: existsSync(join(source.folder, 'vendor')) ? '-mod=vendor' : '-mod=readonly', CGO_ENABLED: '0' },
      timeout: 1_800_000,
      maxBuffer: 1 << 26,
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { missing: 'there is no Go' }
    throw error
  }
  const kept = stack.move()
  return { path, source: source.folder, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function temporaryFolder(name: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), `steadyvm-oracle-${name}-`))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
